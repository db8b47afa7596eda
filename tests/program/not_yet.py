NOT_YET: dict[str, str] = {}
NOT_YET_ALIVE: dict[str, str] = {}
