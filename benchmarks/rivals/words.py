"""What the rivals page says beside its numbers."""

HEAD = """\
# Beside the other tools

Tools that a user would otherwise pick, on the same data and machine, by `make rivals`: the
authors' own package (stratx), scikit-learn's partial dependence (PDP), accumulated local
effects from PyALE and effector, and mean SHAP values. All but stratx and paribus explain a
*model*, here HistGradientBoosting or a random forest of 100 trees, both with their defaults.
`python -m rivals --help` (with `benchmarks` on the path) measures parts of it. This page is
written by the command from `benchmarks/results/rivals.json`."""

READING = """\
The data sets, and the true effects, are in `benchmarks/scenarios.py`; error is the root mean
squared difference between the 1 % and 99 % quantiles, curve and truth both centred. Tools have
their defaults but for this: partial dependence covers the whole range of x instead of its
middle 90 %; categories are declared to boosting, to effector and (up to 100 levels) to PyALE,
and are codes in no order for the rest; SHAP values (path-dependent) of 500 rows are averaged in
40 bins. stratx 0.5 wants 15 rows a leaf, not the paper's 10, which are in [How right, and how
sure](accuracy.md). PDP stands for scikit-learn's own choice, for trees a recursion that does not
go through the rows; "by brute force" is the definition, and too dear for errors over many data
sets, as is shap on a forest: only their times are below. Models are not tuned; a tuned one may do
better."""

SPEED = """\
18 numbers and two categories (5 and 500 levels). Each measurement has a process of its own and
is made after a warm-up on 300 rows, so nobody pays for compiling or loading; below 2 seconds
the least of three counts. Lines in the pictures count the fit of the model; the tables show it
apart. Memory is the peak of the process, with the table, the libraries and the fitted model in
it. A tool that passes 120 s or 16 GB is stopped and not tried on more rows; an asterisk marks
what was not tried because the size before it, or proportional growth, already said so. effector
looks at all rows here, where its default is 10,000 of them; shap explains 500 rows whatever the
size and all columns in one go. With a forest the fit takes nearly all of the time, so that two
tools are enough to see it."""

ODD = """\
## Tables as they come

`y = 3 a + 2 b` and a little noise, 600 rows, one thing changed at a time. "Right" is within
15 % of the truth. For the last three there is no right curve: the rows cannot tell, and a tool
should say so. "Error in the fit" comes from the model, before the tool is reached. Messages in
full are in the JSON."""

NOT_OURS = """\
## What the others do and paribus does not

- They explain a model. If the question is what *your model* does with a column, ask them: paribus
  speaks of the rows, and cannot know.
- shap gives each row a share of each column, effector says how far rows differ from the mean
  curve and where, and scikit-learn draws a curve for each row. paribus gives one curve a column.
- Once a model is fitted, scikit-learn's recursion and shap explain further columns at almost no
  cost.
- A model's own curve has a value where there are no rows to compare. paribus leaves a gap there,
  on purpose."""
