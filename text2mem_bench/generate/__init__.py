"""Synthetic cases, program first: legal programs over made-up stores, and requests made from them.

The idea is that of MERIT's data augmentation (arXiv 2606.00547, section 4 and appendix A), carried
over from SQL: seed programs are perturbed, what cannot run is dropped, and every phrase that leaves
something open is linked to the fragment of the program that it stands for.
"""
