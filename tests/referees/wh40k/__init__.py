"""The referee for Warhammer 40,000: attacks of the 9th, 10th and 11th editions played die by die.

Nothing here imports the package, and nothing here is clever: a die is six faces walked one by one, a re-rolled die is
a second one, and equal tables are counted together in fractions. Each switch of `profiles` names the rule that it
stands for; `README.md` says which module plays what.
"""
