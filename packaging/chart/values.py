"""The default values of the chart, as values.yaml: the schema has each with its default and its description."""
import json


def default_of(schema):
    """The value that holds where nothing is set; of an object without a default of its own, those of its keys."""
    if "default" in schema:
        return schema["default"]
    return {key: default_of(each) for key, each in schema["properties"].items() if has_default(each)}


def has_default(schema):
    return "default" in schema or any(has_default(each) for each in schema.get("properties", {}).values())


def lines_of(schema, indent):
    for key, each in schema["properties"].items():
        if not has_default(each):
            continue
        if "description" in each:
            yield f"{indent}# {each['description']}"
        if "default" in each:
            yield f"{indent}{key}: {json.dumps(each['default'])}"
        else:
            yield f"{indent}{key}:"
            yield from lines_of(each, indent + "  ")


def values_text(schema):
    return "\n".join(["# All values of the chart. values.schema.json says which others there may be.", *lines_of(schema, "")]) + "\n"
