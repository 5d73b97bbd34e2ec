/**
 * Converts TypeScript types to JSON Schemas that describe their JSON form.
 *
 * @module
 */

import { decodePointer, type JSONSchema, type SchemaConverter, type Side, writeSchema } from "../json_schema.ts";
import type { DocDefinition, DocNodes, DocProperty, DocType, DocTypeRef, Found } from "./doc_nodes.ts";
import type { SchemaValues } from "./schema_values.ts";
import { utilityTypes } from "./utility_types.ts";

/** The scope of a type, which consists of its module and type arguments. */
export interface TypeScope {
  readonly module: string;
  readonly parameters: Readonly<Record<string, JSONSchema>>;
}

/** The schemas of keyword types. fw writes `bigint` as a JSON number. */
const keywords: Readonly<Record<string, JSONSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  bigint: { type: "integer", format: "int64" },
  boolean: { type: "boolean" },
  null: { type: "null" },
  object: { type: "object" },
  any: {},
  unknown: {},
};

/** The folders of fw's own modules, and of their declarations in the published package. */
const ownFolders: readonly string[] = ["mvc/", "src/", "types/"].map((path) =>
  new URL(`../../../../${path}`, import.meta.url).href
);

/** The schemas that types are inferred from, and the document's converter. */
interface Inference {
  readonly values: SchemaValues;
  readonly convert: SchemaConverter | undefined;
}

/** Converts types to schemas and collects the named types that they refer to. */
export class TypeSchemas {
  readonly schemas: Record<string, JSONSchema> = {};
  /** The types that could not be converted, one warning each. */
  readonly warnings: Set<string> = new Set();
  readonly #nodes: DocNodes;
  readonly #inferred: Inference;
  readonly #names = new Map<string, string>();

  constructor(nodes: DocNodes, inferred: Inference) {
    this.#nodes = nodes;
    this.#inferred = inferred;
  }

  /** Converts a type. Returns `undefined` for types that JSON omits. */
  write(type: DocType, scope: TypeScope): JSONSchema | undefined {
    switch (type.kind) {
      case "keyword":
        return type.value === "undefined" || type.value === "void" || type.value === "never"
          ? undefined
          : keywords[String(type.value)] ?? this.open(type);
      case "literal":
        return this.#literal(type);
      case "array":
        return { type: "array", items: this.write(type.value as DocType, scope) ?? {} };
      case "parenthesized":
      case "optional":
        return this.write(type.value as DocType, scope);
      case "typeOperator":
        return this.#operator(type, scope);
      case "union":
        return this.#union(type.value as DocType[], scope);
      case "intersection":
        return this.#intersection(type.value as DocType[], scope);
      case "tuple":
        return this.#tuple(type.value as DocType[], scope);
      case "typeLiteral":
        return this.object(type.value as DocDefinition, scope);
      case "typeRef":
        return this.#reference(type.value as DocTypeRef, scope, type);
      case "typeQuery":
        return this.#schema(type, scope, "output");
      case "fnOrConstructor":
        return undefined;
      default:
        return this.open(type);
    }
  }

  /** Returns an open schema and adds a warning that the type cannot be described. */
  open(type: DocType): JSONSchema {
    this.warnings.add(`Cannot describe the type "${type.repr || type.kind}": its schema is left empty`);
    return {};
  }

  /** Resolves a reference to its schema, so that members can be picked from it. */
  resolve(schema: JSONSchema | undefined): JSONSchema | undefined {
    const name = typeof schema?.["$ref"] === "string"
      ? schema["$ref"].slice("#/components/schemas/".length)
      : undefined;
    return name === undefined ? schema : this.resolve(this.schemas[name]);
  }

  /** Converts an object type. */
  object(definition: DocDefinition, scope: TypeScope): JSONSchema {
    const properties: Record<string, JSONSchema> = {};
    const required: string[] = [];
    for (const property of definition.properties ?? []) {
      if (property.isStatic || property.name.startsWith("#") || (property.accessibility ?? "public") !== "public") {
        continue;
      }
      const schema = property.tsType === undefined ? {} : this.write(property.tsType, scope);
      if (schema === undefined) continue;
      properties[property.name] = described(schema, property);
      if (property.optional !== true && !admitsUndefined(property.tsType)) required.push(property.name);
    }
    const index = definition.indexSignatures?.[0]?.tsType;
    return {
      type: "object",
      properties,
      ...required.length === 0 ? {} : { required },
      ...index === undefined ? {} : { additionalProperties: this.write(index, scope) ?? {} },
    };
  }

  #literal(type: DocType): JSONSchema {
    const value = type.value as Record<string, unknown> & { kind: string };
    if (value.kind === "bigInt") return { const: Number(value["string"]) };
    if (value.kind === "template") return { type: "string" };
    return { const: value[value.kind] };
  }

  #operator(type: DocType, scope: TypeScope): JSONSchema | undefined {
    const { operator, tsType } = type.value as { operator: string; tsType: DocType };
    if (operator === "readonly") return this.write(tsType, scope);
    if (operator !== "keyof") return this.open(type);
    const properties = this.resolve(this.write(tsType, scope))?.["properties"];
    return typeof properties === "object" && properties !== null ? { enum: Object.keys(properties) } : this.open(type);
  }

  #union(types: readonly DocType[], scope: TypeScope): JSONSchema | undefined {
    const parts = types.map((type) => this.write(type, scope)).filter((part) => part !== undefined);
    const values = parts.filter((part) => Object.hasOwn(part, "const")).map((part) => part["const"]);
    const others = parts.filter((part) => !Object.hasOwn(part, "const"));
    const all = values.length > 1 ? [{ enum: values }, ...others] : parts;
    return all.length > 1 ? { anyOf: all } : all[0];
  }

  #intersection(types: readonly DocType[], scope: TypeScope): JSONSchema | undefined {
    const parts = types.map((type) => this.write(type, scope)).filter((part) => part !== undefined);
    return parts.length > 1 ? { allOf: parts } : parts[0];
  }

  #tuple(types: readonly DocType[], scope: TypeScope): JSONSchema {
    const items = types.map((type) => this.write(type, scope) ?? {});
    const least = types.filter((type) => type.kind !== "optional").length;
    return { type: "array", prefixItems: items, minItems: least, maxItems: items.length };
  }

  #reference(reference: DocTypeRef, scope: TypeScope, type: DocType): JSONSchema | undefined {
    const { typeName, resolution } = reference;
    if (resolution?.kind === "typeParam") return scope.parameters[typeName] ?? this.open(type);
    const found = this.#nodes.find(scope.module, typeName);
    if (found !== undefined) return this.#named(found, reference, scope);
    const utility = Object.hasOwn(utilityTypes, typeName) ? utilityTypes[typeName] : undefined;
    if (utility !== undefined) return utility({ writer: this, args: reference.typeParams ?? [], scope, type });
    // Another library's type, such as `z.infer<typeof tea>`, has the type of the schema.
    const [first] = reference.typeParams ?? [];
    if (first?.kind === "typeQuery") {
      return this.#schema(first, scope, /input|encoded/i.test(typeName) ? "input" : "output");
    }
    const isParameter = (first?.value as DocTypeRef | undefined)?.resolution?.kind === "typeParam";
    return first !== undefined && isParameter ? this.write(first, scope) : this.open(type);
  }

  /** Converts the type that is inferred from a schema. */
  #schema(type: DocType, scope: TypeScope, side: Side): JSONSchema {
    const path = String(type.value);
    const found = this.#inferred.values.find(scope.module, path);
    const written = found === undefined ? undefined : writeSchema(found, side, this.#inferred.convert);
    if (written !== undefined && written.failure === undefined) {
      return adoptSchema(written.schema, path.slice(path.lastIndexOf(".") + 1), this);
    }
    const reason = written?.failure ?? `export "${path}" if it is a schema, or set Returns in the description`;
    this.warnings.add(`Cannot describe the type "typeof ${path}": ${reason}`);
    return {};
  }

  /** Returns a free component name, which is then taken. */
  reserve(wanted: string): string {
    const name = this.#freeName(wanted);
    this.#names.set(`definition ${name}`, name);
    return name;
  }

  /** Returns the scope of a declaration's members, with its type arguments applied. */
  scopeOf({ module, declaration }: Found, args: readonly DocType[], outer: TypeScope): TypeScope {
    const parameters: Record<string, JSONSchema> = {};
    for (const [at, parameter] of (declaration.def?.typeParams ?? []).entries()) {
      const argument = args[at] ?? parameter.default;
      parameters[parameter.name] = (argument === undefined ? undefined : this.write(argument, outer)) ?? {};
    }
    return { module, parameters };
  }

  /** Reports whether a reference names one of the program's own types rather than a type of fw or the platform. */
  isDeclared({ typeName }: DocTypeRef, scope: TypeScope): boolean {
    const module = this.#nodes.find(scope.module, typeName)?.module;
    return module !== undefined && !ownFolders.some((folder) => module.startsWith(folder));
  }

  /** Returns the target of a type alias if it is a promise, a tuple or a union of these. */
  aliasOf({ typeName, typeParams }: DocTypeRef, scope: TypeScope): { type: DocType; scope: TypeScope } | undefined {
    const found = this.#nodes.find(scope.module, typeName);
    const type = found?.declaration.kind === "typeAlias" ? found.declaration.def?.tsType : undefined;
    if (found === undefined || type === undefined || typeParams !== undefined) return undefined;
    const parts = type.kind === "union" ? type.value as DocType[] : [type];
    const isSpecial = parts.some((part) => /(?:^|\.)(?:Promise|Tuple)$/.test(part.repr ?? ""));
    return isSpecial ? { type, scope: { module: found.module, parameters: {} } } : undefined;
  }

  /** Adds a named type to the components, once per set of type arguments. */
  #named(found: Found, reference: DocTypeRef, scope: TypeScope): JSONSchema {
    const { parameters } = this.scopeOf(found, reference.typeParams ?? [], scope);
    const key = `${found.module} ${found.name} ${JSON.stringify(parameters)}`;
    const known = this.#names.get(key);
    if (known !== undefined) return { $ref: `#/components/schemas/${known}` };
    const name = this.#freeName([found.name, ...Object.values(parameters).map(shortName)].join("_"));
    this.#names.set(key, name);
    // Register the name before the members are converted, so that a type may refer to itself.
    this.schemas[name] = {};
    this.schemas[name] = this.#declared(found, { module: found.module, parameters });
    return { $ref: `#/components/schemas/${name}` };
  }

  #declared({ declaration }: Found, scope: TypeScope): JSONSchema {
    const definition = declaration.def ?? {};
    const description = declaration.jsDoc?.doc?.trim();
    const own = declaration.kind === "typeAlias" && definition.tsType !== undefined
      ? this.write(definition.tsType, scope) ?? {}
      : declaration.kind === "enum"
      ? { enum: (definition.members ?? []).map((member, at) => member.init ? this.#literal(member.init)["const"] : at) }
      : this.object(definition, scope);
    const bases = Array.isArray(definition.extends) ? definition.extends : [];
    const inherited = bases.map((base: DocType) => this.write(base, scope)).filter((base) => base !== undefined);
    const whole = inherited.length === 0 ? own : { allOf: [...inherited, own] };
    return description ? { description, ...whole } : whole;
  }

  #freeName(base: string): string {
    const taken = new Set(this.#names.values());
    let name = base;
    for (let at = 2; taken.has(name); at++) name = `${base}${at}`;
    return name;
  }
}

function described(schema: JSONSchema, { jsDoc }: DocProperty): JSONSchema {
  const description = jsDoc?.doc?.trim();
  const isDeprecated = jsDoc?.tags?.some((tag) => tag.kind === "deprecated") === true;
  return {
    ...schema,
    ...description ? { description } : {},
    ...isDeprecated ? { deprecated: true } : {},
  };
}

/** Reports whether a member's type includes `undefined`. Such a member is optional in JSON. */
function admitsUndefined(type: DocType | undefined): boolean {
  return type?.kind === "union" && (type.value as DocType[]).some((part) => part.value === "undefined");
}

function shortName(schema: JSONSchema): string {
  const reference = schema["$ref"];
  return typeof reference === "string"
    ? reference.slice(reference.lastIndexOf("/") + 1)
    : String(schema["type"] ?? "any");
}

/**
 * Rewrites the references of a schema so that they point to the document's components.
 *
 * @param schema The schema, with its definitions under `$defs`.
 * @param name The name of the schema itself, for definitions without a name of their own.
 * @param schemas The document's components.
 * @returns The schema to use inline.
 */
function adoptSchema(
  schema: JSONSchema,
  name: string,
  types: TypeSchemas,
): JSONSchema {
  const { $defs, ...root } = schema;
  const definitions = Object($defs) as Record<string, JSONSchema>;
  const known = new Map<string, string>();
  const target = (reference: string): string => {
    const own = reference === "#" ? "" : decodePointer(reference.slice("#/$defs/".length));
    const found = reference === "#" ? root : definitions[own];
    if (found === undefined) return reference;
    let given = known.get(reference);
    if (given === undefined) {
      const isNamed = /^[A-Za-z]\w*$/.test(own) && !/^schema\d*$/.test(own);
      given = types.reserve(isNamed ? own : name);
      // Register the name before the members are rewritten, so that a schema may refer to itself.
      known.set(reference, given);
      types.schemas[given] = rewrite(found) as JSONSchema;
    }
    return `#/components/schemas/${given}`;
  };
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([key]) => key !== "$defs" && key !== "$schema")
        .map(([key, member]) => [key, key === "$ref" && typeof member === "string" ? target(member) : rewrite(member)]),
    );
  };
  return rewrite(root) as JSONSchema;
}
