/**
 * The result of a form submission: the submitted values and the errors for each field.
 *
 * @module
 */

import type { KeptValues } from "./form_options.ts";
import { type FieldErrors, type TranslateIssue, translateWith, ValidationError } from "./validation_error.ts";

/** The values and errors of a form, for its template. */
export interface FormState {
  /**
   * The submitted strings by field name. A field with several values has an array. Files and secrets are omitted.
   * Secrets are the fields that the option `Secrets` lists, and those with such a name that `Kept` does not list:
   *
   * - names with the word `password`, `passwd`, `passwort`, `passphrase`, `passcode`, `passkey` or `pwd`, such as
   *   `newPassword`;
   * - names that end with `pin`, `otp`, `cvc`, `cvv`, `csc`, `secret`, `api_key`, `secret_key`, `private_key`,
   *   `csrf_token`, `api_token`, `access_token`, `refresh_token` or `auth_token`, such as `cardPin` and `pin_code`;
   * - the names `pass` and `user_pass`;
   * - fields that repeat the value of such a field, if their name says so (`confirm`, `repeat`) or the value is long.
   */
  readonly Values: KeptValues;
  /**
   * The messages by field name, in the language of the request. Messages about the whole form have the empty name.
   */
  readonly Errors: FieldErrors;
  /**
   * Returns the value of a field.
   *
   * @param name The field name.
   * @returns The first value, or an empty string if there is none.
   */
  Text(name: string): string;
  /**
   * Reports whether a checkbox is checked or an option is selected.
   *
   * @param name The field name.
   * @param value The value of the checkbox or option. If omitted, any value matches.
   */
  Includes(name: string, value?: string): boolean;
  /**
   * Returns the first message about a field.
   *
   * @param name The field name. If omitted, returns the first message about the whole form.
   * @returns The message, or an empty string if there is none.
   */
  Error(name?: string): string;
  /**
   * Adds an error that the schema cannot detect, such as a name that is already taken.
   *
   * @param name The field name, or an empty string for the whole form.
   * @param message The error message, or a translation key.
   * @returns A copy of the form with the additional error.
   */
  WithError(name: string, message: string): InvalidForm;
}

/** A form that matches its schema. */
export interface ValidForm<T> extends FormState {
  /** `true`: the form matches its schema. */
  readonly IsValid: true;
  /** The output of the schema. */
  readonly Value: T;
}

/** A form with errors. */
export interface InvalidForm extends FormState {
  /** `false`: the form has errors. */
  readonly IsValid: false;
  /** Always `undefined`, because the form has errors. */
  readonly Value: undefined;
}

/** The result of a form submission. Check `IsValid` before you use `Value`. */
export type FormResult<T> = ValidForm<T> | InvalidForm;

/** A value that a form field can display. */
export type FieldValue = string | number | bigint | boolean | Date | null | undefined;

/**
 * Creates the state of a form that has not been submitted yet, so that one template can render both new and submitted
 * forms.
 *
 * Numbers are converted to strings and dates to ISO 8601. A date field uses the first 10 characters. `true` becomes
 * `"true"`. `false`, `null` and `undefined` are omitted, like a checkbox that is not checked.
 *
 * @example An empty form and one with initial values
 * ```ts
 * import * as fw from "@fw/web";
 *
 * fw.NewForm().Text("name"); // → ""
 * const form = fw.NewForm({ name: "Assam", grams: 50, isOrganic: false });
 * [form.Text("name"), form.Text("grams"), form.Includes("isOrganic")]; // → ["Assam", "50", false]
 * ```
 *
 * @param values The initial values by field name.
 * @returns The form, without errors.
 */
export function NewForm<T extends { readonly [Name in keyof T]: FieldValue | readonly FieldValue[] }>(
  values?: T,
): FormState {
  const shown: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of Object.entries<FieldValue | readonly FieldValue[]>(values ?? {})) {
    const texts = (Array.isArray(value) ? value : [value]).flatMap(textsOf);
    if (Array.isArray(value)) shown[name] = texts;
    else if (texts[0] !== undefined) shown[name] = texts[0];
  }
  return new Form({ values: shown });
}

function textsOf(value: FieldValue): string[] {
  if (value === undefined || value === null || value === false) return [];
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? [] : [value.toISOString()];
  return [String(value)];
}

interface FormParts {
  readonly values: KeptValues;
  readonly errors?: FieldErrors;
  readonly output?: { readonly value: unknown };
  readonly translate?: TranslateIssue | undefined;
}

/** A form with its values and errors. */
export class Form implements FormState {
  readonly IsValid: boolean;
  readonly Value: unknown;
  readonly Values: KeptValues;
  readonly Errors: FieldErrors;

  readonly #translate: TranslateIssue | undefined;

  constructor({ values, errors, output, translate }: FormParts) {
    this.IsValid = output !== undefined;
    this.Value = output?.value;
    this.Values = values;
    this.Errors = errors ?? Object.create(null);
    this.#translate = translate;
  }

  Text(name: string): string {
    return this.#list(name)[0] ?? "";
  }

  Includes(name: string, value?: string): boolean {
    const list = this.#list(name);
    return value === undefined ? list.length > 0 : list.includes(value);
  }

  Error(name = ""): string {
    return (this.Errors[name] ?? this.Errors[withoutBrackets(name)])?.[0] ?? "";
  }

  WithError(name: string, message: string): InvalidForm {
    const errors: Record<string, readonly string[]> = Object.assign(Object.create(null), this.Errors);
    const added = new ValidationError([{ Path: name === "" ? [] : [name], Message: message }]);
    if (this.#translate !== undefined) translateWith(added, this.#translate);
    errors[name] = [...errors[name] ?? [], ...added.Fields[name] ?? []];
    return new Form({ values: this.Values, errors, translate: this.#translate }) as FormState as InvalidForm;
  }

  #list(name: string): readonly string[] {
    const value = this.Values[name] ?? this.Values[withoutBrackets(name)];
    return value === undefined ? [] : typeof value === "string" ? [value] : value;
  }
}

/** Returns the name of a list as in the schema. A form may spell it with brackets. */
function withoutBrackets(name: string): string {
  return name.length > 2 && name.endsWith("[]") ? name.slice(0, -2) : name;
}
