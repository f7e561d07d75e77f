"""What the menu calls: explain a column of the table that the cursor is in."""

import unohelper
from com.sun.star.lang import XServiceInfo
from com.sun.star.task import XJob

SERVICE = "org.paribus.calc.Explain"


class ExplainJob(unohelper.Base, XJob, XServiceInfo):
    """The job behind the menu; with a target among its arguments it asks nothing."""

    def __init__(self, context):
        self.context = context

    def execute(self, arguments):
        """Explain; with a target among the arguments, return what was done in a sentence."""
        from paribus_addin import explain, words

        given = {pair.Name: pair.Value for pair in arguments}
        around = {pair.Name: pair.Value for pair in given.get("Environment", ())}
        wanted = {pair.Name: pair.Value for pair in given.get("DynamicData", ())}
        document = around["Frame"].Controller.Model
        if "target" in wanted:
            try:
                return explain.at_once(self.context, document, wanted)
            except words.Refused as refused:
                return str(refused)
            except Exception as error:
                return words.unexpected(error)
        explain.in_dialogs(self.context, document)
        return ""

    def getImplementationName(self):
        """Return the name of this implementation."""
        return SERVICE

    def supportsService(self, name):
        """Tell whether this is the service of a name."""
        return name == SERVICE

    def getSupportedServiceNames(self):
        """Return the names of what this is."""
        return (SERVICE,)


g_ImplementationHelper = unohelper.ImplementationHelper()
g_ImplementationHelper.addImplementation(ExplainJob, SERVICE, (SERVICE,))
