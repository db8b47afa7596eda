"""Operator calls that torch knows and this engine does not, or not to the last detail. They only get fewer."""

NOT_YET = """
torch.linalg.multi_dot([a, b])
torch.linalg.cross(a, b)
F.bilinear(a, b, c)
torch.det(a)
torch.linalg.det(a)
torch.logdet(a)
torch.slogdet(a)[1]
torch.inverse(a)
torch.linalg.inv(a)
torch.linalg.solve(a, b0)
torch.linalg.pinv(a)
torch.matrix_exp(a)
torch.linalg.matrix_power(a, 3)
torch.linalg.eigvals(a).real
torch.linalg.svdvals(a)
torch.linalg.qr(a)[1]
torch.linalg.det(a) (3x3)
torch.linalg.solve(a, b)
torch.linalg.cholesky(a @ a.T + torch.eye(2))
torch.linalg.eigvalsh(a + a.T)
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
