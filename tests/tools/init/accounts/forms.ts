import type * as fw from "@fw/web";

/** The errors of a form, by the ID of the field. */
export type Errors = Readonly<Record<string, string>>;

/** Shows a form with errors next to its fields. The field with the first error gets the focus. */
export function showForm(ctx: fw.Context, view: string, errors: Errors, status = 422, data: object = {}): void {
  ctx.StatusCode(status);
  const title = ctx.Tr(`accounts.title_${view}`);
  ctx.View(view, { title, errors, next: ctx.URLParam("next"), user: ctx.User(), ...data });
}

/**
 * Reports whether a string can be an address. Only a mail to it can tell whether it is one. Other characters than those
 * of ASCII are refused, because some of them equal others in lower case. Browsers encode such domains.
 */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[!#-'*+\-/-9=?A-Z^-~.]+@[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)+$/.test(text);
}
