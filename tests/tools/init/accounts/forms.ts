import type * as fw from "@fw/web";

/** The errors of a form, by the name of the field. */
export type Errors = Readonly<Record<string, string>>;

/** Shows a form with errors next to its fields. The field with the first error gets the focus. */
export function showForm(ctx: fw.Context, view: string, errors: Errors, status = 422, data: object = {}): void {
  ctx.StatusCode(status);
  const next = ctx.URLParam("next");
  ctx.View(view, { errors, next, token: ctx.Params().Get("token"), user: ctx.User(), ...data });
}

/** Reports whether a string can be an address. Only a mail to it can tell whether it is one. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@"<>(),:;[\]\\]+@[^\s@"<>(),:;[\]\\.]+(?:\.[^\s@"<>(),:;[\]\\.]+)+$/.test(text);
}
