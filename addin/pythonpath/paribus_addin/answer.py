"""The answer: the workbook's sheets behind those of the user, with their native charts."""

import uno
from com.sun.star.beans import PropertyValue

STYLE = "paribus"
HEAD = 3  # the row with the heads of a table, whose chart begins there


def insert(context, document, path):
    """Add the sheets of a workbook behind the document's own, and return their names."""
    desktop = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.frame.Desktop", context
    )
    hidden = PropertyValue()
    hidden.Name, hidden.Value = "Hidden", True
    url = uno.systemPathToFileUrl(str(path))
    workbook = desktop.loadComponentFromURL(url, "_blank", 0, (hidden,))
    document.lockControllers()
    try:
        names = _rename(workbook, document.Sheets.ElementNames)
        for name in names:
            document.Sheets.importSheet(workbook, name, document.Sheets.Count)
            sheet = document.Sheets.getByName(name)
            sheet.PageStyle = _page_style(document)
            _put_beside(sheet)
    finally:
        document.unlockControllers()
        workbook.close(True)
    return names


def show(document, name):
    """Bring a sheet to the front."""
    if document.CurrentController is not None:
        document.CurrentController.ActiveSheet = document.Sheets.getByName(name)


def _rename(workbook, taken):
    """Give sheets whose name is taken another; links between sheets follow."""
    used = {name.lower() for name in (*taken, *workbook.Sheets.ElementNames)}
    renamed = {}
    for sheet in list(workbook.Sheets.ElementNames):
        if sheet.lower() in {name.lower() for name in taken}:
            k = 2
            while f"{sheet} ({k})".lower() in used:
                k += 1
            workbook.Sheets.getByName(sheet).Name = renamed[sheet] = f"{sheet} ({k})"
            used.add(renamed[sheet].lower())
    if renamed:
        _follow(workbook.Sheets.getByIndex(0), renamed)
    return list(workbook.Sheets.ElementNames)


def _follow(sheet, renamed):
    """Let the links of a sheet point to the new names."""
    used = sheet.createCursor()
    used.gotoEndOfUsedArea(False)
    for row in range(used.RangeAddress.EndRow + 1):
        for column in range(used.RangeAddress.EndColumn + 1):
            fields = sheet.getCellByPosition(column, row).TextFields
            for k in range(fields.Count):
                link = fields.getByIndex(k)
                name = link.URL.lstrip("#").rpartition(".")[0].strip("'").replace("''", "'")
                if name in renamed:
                    quoted = renamed[name].replace("'", "''")
                    link.URL = f"#'{quoted}'.A1"


def _put_beside(sheet):
    """Put a chart beside its table: columns may have become wider than in the workbook."""
    shapes = sheet.DrawPage
    column = 0
    while sheet.getCellByPosition(column, HEAD).String:
        column += 1
    for k in range(shapes.Count):
        shapes.getByIndex(k).Position = sheet.getCellByPosition(column + 1, HEAD).Position


def _page_style(document):
    """Return a page in landscape, one sheet wide."""
    styles = document.StyleFamilies.getByName("PageStyles")
    if not styles.hasByName(STYLE):
        styles.insertByName(STYLE, document.createInstance("com.sun.star.style.PageStyle"))
        style = styles.getByName(STYLE)
        if style.Width < style.Height:
            style.Width, style.Height = style.Height, style.Width
        style.IsLandscape = True
        style.ScaleToPagesX, style.ScaleToPagesY = 1, 0
    return STYLE
