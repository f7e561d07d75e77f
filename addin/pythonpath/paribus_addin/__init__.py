"""The extension for LibreOffice Calc: standard library and the office's own interfaces alone."""
