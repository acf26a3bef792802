"""Plain numbers: CSV, NPY, NPZ and MAT files, which say neither rate nor unit nor leads.

question.py    what has to be asked, and a recording from numbers and answers
guess.py       what is probable, shown as a guess and never applied by itself
text.py        tables as text
arrays.py      NPY and NPZ, never unpickled
matlab.py      MAT files of level 4 and 5, numbers alone
"""
