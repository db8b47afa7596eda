"""Operator calls that torch knows and this engine does not, or not to the last detail. They only get fewer."""

NOT_YET = """
F.bilinear(a, b, c)
torch.linalg.eigvals(a).real
F.layer_norm(a, (3,))
F.layer_norm(a, (3,), b, c)
F.batch_norm(a, None, None, training=True)
F.batch_norm(a, None, None, b, c, training=True)
F.batch_norm(a, m, vv, training=False)
F.group_norm(a, 1)
F.instance_norm(a)
F.local_response_norm(a[None], 2)
F.embedding_bag(i, a)
torch.complex(a, a).abs()
""".strip().splitlines()
