/**
 * Generates valid and invalid values for a JSON Schema, randomly but reproducibly.
 *
 * @module
 */

import fc from "npm:fast-check@^4";
import { checkValue } from "../../../src/api/openapi/check_value.ts";

/** A JSON Schema. */
export type Schema = Record<string, unknown>;

/** Generates values for the schemas of a document. */
export class Sampler {
  readonly #root: unknown;
  #state: number;

  constructor(root: unknown, seed: number) {
    this.#root = root;
    this.#state = seed;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return this.#state / 2 ** 32;
  }

  /** Returns one of several values. */
  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T;
  }

  /** Resolves a reference. */
  resolve(schema: Schema): Schema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    const found = reference.slice(2).split("/").reduce<unknown>((value, step) => Object(value)[step], this.#root);
    return this.resolve(found as Schema);
  }

  /** Returns a valid value for a schema. */
  valid(given: Schema, depth = 0): unknown {
    const schema = this.resolve(given);
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.pick(schema["enum"]);
    const options = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(options)) return this.valid(depth > 3 ? options.at(-1) : this.pick(options), depth);
    if (Array.isArray(schema["allOf"])) {
      return this.valid(Object.assign({}, ...schema["allOf"].map((part) => this.resolve(part))), depth);
    }
    const type = Array.isArray(schema["type"]) ? this.pick(schema["type"]) : schema["type"] ?? this.#guess(schema);
    switch (type) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(schema, depth);
      case "string":
        return this.#string(schema);
      case "integer":
      case "number":
        return this.#number(schema, type === "integer");
      case "boolean":
        return this.next() < 0.5;
      case "null":
        return null;
      default:
        return this.pick<unknown>(["text", 5, true, [1], { a: 1 }]);
    }
  }

  /** Returns an invalid value, or `undefined` if none was found. */
  invalid(schema: Schema): unknown {
    const valid = this.valid(schema);
    const tries: unknown[] = [null, "text", -1.5, true, [], {}, ["text"], { unknown: 1 }, "", 1e9];
    if (typeof valid === "object" && valid !== null && !Array.isArray(valid)) {
      for (const name of Object.keys(valid)) {
        const { [name]: _, ...rest } = valid as Record<string, unknown>;
        tries.unshift(rest, { ...valid, [name]: null }, { ...valid, [name]: { deep: [] } }, { ...valid, [name]: -1e9 });
      }
    }
    const wrong = tries.filter((value) => checkValue(value, schema, this.#root).length > 0);
    return wrong.length === 0 ? undefined : this.pick(wrong);
  }

  #guess(schema: Schema): string | undefined {
    return "properties" in schema ? "object" : "pattern" in schema ? "string" : undefined;
  }

  #object(schema: Schema, depth: number): unknown {
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
    const object: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(Object(schema["properties"]))) {
      if (required.has(name) || (depth < 4 && this.next() < 0.6)) {
        object[name] = this.valid(member as Schema, depth + 1);
      }
    }
    const more = schema["additionalProperties"];
    if (typeof more === "object" && more !== null && depth < 4) object["more"] = this.valid(more as Schema, depth + 1);
    return object;
  }

  #array(schema: Schema, depth: number): unknown {
    const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : [];
    const least = Number(schema["minItems"] ?? 0);
    const most = Math.min(Number(schema["maxItems"] ?? 3), depth > 3 ? least : least + 2);
    const count = Math.max(first.length, least + Math.floor(this.next() * (most - least + 1)));
    const items = Object(schema["items"] ?? {});
    return Array.from({ length: count }, (_, at) => this.valid(first[at] ?? items, depth + 1));
  }

  #string(schema: Schema): string {
    const format = String(schema["format"] ?? "");
    if (Object.hasOwn(formats, format)) return this.pick(formats[format] ?? []);
    const seed = Math.floor(this.next() * 2 ** 31);
    const pattern = schema["pattern"];
    const least = Number(schema["minLength"] ?? 0);
    const most = Number(schema["maxLength"] ?? least + 8);
    if (typeof pattern === "string") {
      const texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 20, seed });
      return texts.find((text) => text.length >= least && text.length <= most && text !== "") ?? texts[0] ?? "";
    }
    const [text = ""] = fc.sample(fc.string({ minLength: Math.max(1, least), maxLength: most, unit: "grapheme" }), {
      numRuns: 1,
      seed,
    });
    return text;
  }

  #number(schema: Schema, isInteger: boolean): number {
    const low = Number(schema["minimum"] ?? schema["exclusiveMinimum"] ?? -1000);
    const high = Number(schema["maximum"] ?? schema["exclusiveMaximum"] ?? low + 2000);
    const number = low + this.next() * (high - low);
    if (!isInteger) return Math.min(Math.max(number, low + 0.001), high - 0.001);
    return Math.min(Math.max(Math.round(number), Math.ceil(low)), Math.floor(high));
  }
}

const formats: Readonly<Record<string, readonly string[]>> = {
  email: ["ada@example.org", "b.c+d@mail.example.com"],
  uuid: ["0189f7c2-7d1c-7b6a-9c3e-4f5a6b7c8d9e", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"],
  date: ["2020-02-29", "1999-12-31"],
  "date-time": ["2020-02-29T12:00:00Z", "1999-12-31T23:59:59.123Z"],
  binary: ["bytes"],
};
