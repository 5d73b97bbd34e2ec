/**
 * The parts of an OpenAPI document that the page shows, and the document itself.
 *
 * @module
 */

/** Something that may be replaced with a reference. */
interface Referable {
  $ref?: string;
}

/** A JSON schema. */
export interface Schema extends Referable {
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  allOf?: Schema[];
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
  readOnly?: boolean;
  writeOnly?: boolean;
  deprecated?: boolean;
}

/** A parameter or a header. */
export interface Parameter extends Referable {
  name: string;
  in: string;
  schema?: Schema;
  /** The schema of a value that is sent as JSON, instead of `schema`. */
  content?: Record<string, Media>;
  required?: boolean;
  explode?: boolean;
  description?: string;
}

/** The content of a body with one content type. */
export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

/** A request body or a response. */
export interface Content extends Referable {
  content?: Record<string, Media>;
  headers?: Record<string, Parameter>;
  description?: string;
  required?: boolean;
}

interface Link {
  url: string;
  description?: string;
}

/** The names of security schemes that are used together. */
type Requirement = Record<string, unknown>;

/** An operation. */
export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses?: Record<string, Content>;
  security?: Requirement[];
  externalDocs?: Link;
}

/** A security scheme. */
export interface Scheme extends Referable {
  type: string;
  scheme?: string;
  in?: string;
  name: string;
  description?: string;
  openIdConnectUrl?: string;
  flows?: Record<string, { authorizationUrl?: string; tokenUrl?: string }>;
}

/** A document. */
export interface Spec {
  info: {
    title: string;
    version: string;
    summary?: string;
    description?: string;
    termsOfService?: string;
    contact?: { name?: string; url?: string; email?: string };
    license?: { name: string; url?: string };
  };
  servers?: { url?: string; description?: string; variables?: Record<string, { default?: string }> }[];
  paths?: Record<string, { parameters?: Parameter[] } & Record<string, Operation | undefined>>;
  tags?: { name: string; description?: string }[];
  security?: Requirement[];
  components?: { securitySchemes?: Record<string, Scheme> };
  externalDocs?: Link;
}

/** The entered credentials of a security scheme. */
export interface Credentials {
  user?: string;
  secret?: string;
}

/** The state of the page. */
export const page: { spec: Spec; server: number; readonly credentials: Record<string, Credentials> } = {
  spec: { info: { title: "", version: "" } },
  server: 0,
  credentials: {},
};

/** Follows the references of a part of the document. A part that does not exist is empty. */
export function resolve<T extends Referable>(given: T | boolean | undefined, depth = 0): T {
  if (typeof given !== "object" || typeof given.$ref !== "string" || depth > 20) return (given || {}) as T;
  let found: unknown = page.spec;
  for (const part of given.$ref.slice(2).split("/")) {
    found = Reflect.get(Object(found), decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return resolve(found as T | undefined, depth + 1);
}

/** Returns the parameters of an operation. The schema of one that is sent as JSON is that of its content. */
export function parametersOf(operation: Operation): Parameter[] {
  return (operation.parameters ?? []).map((each) => {
    const parameter = resolve(each);
    const [media] = Object.values(parameter.content ?? {});
    return media === undefined ? parameter : { ...parameter, schema: media.schema ?? {} };
  });
}
