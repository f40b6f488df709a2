"""What the stand-in does to the code of a shop."""


def work(instructions, known, call):
    """Do the job and return the final answer; `call("tool.name", key=value)` returns what the tool answers."""
    for file in call("repo.list_files"):
        path = file["path"]
        if path.rpartition("/")[2] not in instructions.split():
            continue
        if known["replacement"] in call("repo.read_file", path=path)["content"]:
            return f"{path} is right as it is."
        call("repo.apply_patch", path=path, replacement=known["replacement"])
        return f"Patched {path}."
    return "I changed nothing: none of the files has a name that you gave me."
