"""versions_row: what the run of one Kubernetes version has shown, cell by cell of the table in docs/compatibility.md."""
from checks import check, missed, title

# key: heading. What a cell may say beside "yes" is for the run that fills it in.
COLUMNS = {
    "resize": "Deferred, a pod removed, resized by the kubelet",
    "too-large": "a request above allocatable",
    "policy": "the node's policy by annotation",
    "field": "the node's policy by its field",
    "authority": "`elbowroomd` in authority",
    "full": "pending pods, mode `full`",
    "groups": "pod groups",
    "budgets": "`DisruptionBudget`",
    "protobuf": "lists and watches",
    "rights": "rights and admission policies",
    "lease": "the Lease of the leader",
}
NO = "no"


class Row:
    """`version`: that of the programs, "1.34.4". A cell is {"says": "yes", "note": a sentence, or ""}."""

    def __init__(self, version):
        self.version, self.cells = version, {}
        self.minor = int(version.split(".")[1])

    def play(self, column, what, scene):
        """Runs a scene; the cell says what it returns, "yes" for nothing, or "no" where something was not seen."""
        title(f"{self.version}: {what}")
        before = len(missed())
        try:
            said = scene()
        except (OSError, RuntimeError, KeyError, IndexError, TypeError, ValueError) as error:
            check(False, f"{what}: to its end", repr(error))
            said = None
        unseen = missed()[before:]
        if unseen:
            self.cells[column] = {"says": NO, "note": "not seen: " + unseen[0]}
        elif column not in self.cells:
            says, note = said if isinstance(said, tuple) else (said or "yes", "")
            self.cells[column] = {"says": says, "note": note}
        return not unseen

    def is_whole(self):
        return set(self.cells) == set(COLUMNS)
