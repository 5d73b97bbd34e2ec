import * as fw from "jsr:@fw/web";

/** An error in the format of the RealWorld specification. */
export class APIError extends fw.HTTPError {
  readonly errors: Record<string, string[]>;

  constructor(status: number, errors: Record<string, string[]>) {
    super(status, JSON.stringify({ errors }));
    this.errors = errors;
  }
}

/** Throws because something does not exist. */
export function missing(what: string): never {
  throw new APIError(404, { [what]: ["not found"] });
}

/** Throws because something belongs to another user. */
export function forbidden(what: string): never {
  throw new APIError(403, { [what]: ["forbidden"] });
}

/** Throws because a name is taken. */
export function conflict(what: string): never {
  throw new APIError(409, { [what]: ["has already been taken"] });
}

/** Throws because the request is not authenticated. */
export function unauthorized(what: string, why: string): never {
  throw new APIError(401, { [what]: [why] });
}

/** Writes an error response. All API errors have the same format. */
export function writeError(ctx: fw.Context, error: Error): void {
  if (error instanceof APIError) return ctx.StopWithJSON(error.Status, { errors: error.errors });
  if (error instanceof fw.ValidationError) return ctx.StopWithJSON(422, { errors: fieldErrors(error) });
  if (error instanceof fw.HTTPError) return ctx.StopWithJSON(error.Status, { errors: { body: [error.message] } });
  throw error;
}

/** Groups validation messages by the last segment of their path, such as `email` for `user.email`. */
function fieldErrors(error: fw.ValidationError): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const { Path, Message } of error.Issues) (errors[String(Path.at(-1) ?? "body")] ??= []).push(Message);
  return errors;
}
