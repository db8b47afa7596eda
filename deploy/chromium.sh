#!/bin/sh
# Have a Chromium for the browser tests: the one that is there, else by apt when root, else by playwright.
set -eu
python=$1
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu >/dev/null
  exit 0
fi
exec "$python" -m playwright install chromium
