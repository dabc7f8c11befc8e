"""The words of JSON Schema that the chart's values are described by, and what they refuse."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
SAID_OF = {"$schema", "title", "description", "default", "definitions"}
KNOWN = SAID_OF | {"$ref", "type", "properties", "additionalProperties", "required", "items", "maxItems", "enum", "const", "minimum", "maximum",
                   "minLength", "maxLength", "pattern", "anyOf", "if", "then"}


def unknown_words(schema):
    """Words of the schema, and of those in it, that are not judged here."""
    found = sorted(set(schema) - KNOWN)
    inner = [*schema.get("properties", {}).values(), *schema.get("definitions", {}).values()]
    inner += [schema[key] for key in ("items", "additionalProperties", "if", "then") if isinstance(schema.get(key), dict)]
    inner += schema.get("anyOf", [])
    return found + [word for each in inner for word in unknown_words(each)]


def is_of(kind, value):
    return isinstance(value, TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))


def objections(schema, value, path="values", top=None):
    """Why the value is refused, each with the path of its key."""
    top = top or schema
    if "$ref" in schema:
        schema = top["definitions"][schema["$ref"].rpartition("/")[2]]
    if "type" in schema and not is_of(schema["type"], value):
        return [f"{path} is no {schema['type']}"]
    found = [f"{path} is {value}, not one of {schema['enum']}" for _ in [0] if value not in schema.get("enum", [value])]
    found += [f"{path} is {value}, not {schema['const']}" for _ in [0] if value != schema.get("const", value)]
    found += of_conditions(schema, value, path, top)
    if isinstance(value, str):
        found += of_text(schema, value, path)
    elif isinstance(value, dict):
        found += of_object(schema, value, path, top)
    elif isinstance(value, list):
        found += [each for at, one in enumerate(value) for each in objections(schema["items"], one, f"{path}[{at}]", top)]
        found += [f"{path} has too many" for _ in [0] if len(value) > schema.get("maxItems", len(value))]
    elif not isinstance(value, bool) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{path} is {value}, out of its range")
    return found


def of_conditions(schema, value, path, top):
    """What `anyOf` and `if` with `then` say."""
    each = [objections(one, value, path, top) for one in schema.get("anyOf", [])]
    found = [f"{path}: {' and '.join(sum(each, []))}" for _ in [0] if each and all(each)]
    if "then" in schema and not objections(schema["if"], value, path, top):
        found += objections(schema["then"], value, path, top)
    return found


def of_text(schema, value, path):
    is_wrong = not re.search(schema.get("pattern", "").replace("$", r"\Z"), value)  # `$` of Python also is before a last newline
    is_wrong = is_wrong or not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
    return [f"{path} may not be {value!r}"] if is_wrong else []


def of_object(schema, value, path, top):
    found = [f"{path} lacks {key}" for key in schema.get("required", []) if key not in value]
    named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, each in value.items():
        if key in named:
            found += objections(named[key], each, f"{path}.{key}", top)
        elif others is False:
            found.append(f"{path}.{key} is not known")
        elif others is not True:
            found += objections(others, each, f"{path}.{key}", top)
    return found
