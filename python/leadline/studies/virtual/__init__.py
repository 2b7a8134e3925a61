"""The wrf workload on 2 to 16 nodes in two environments, as G. Díaz López de la Llave ran WRF on physical and virtual
clusters: tables per call, his three figures, his conclusions, and what makes the difference.
"""
