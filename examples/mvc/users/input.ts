import * as fw from "jsr:@fw/web";
import type { UserInput } from "./user.ts";

/** Reads the user from the request body. This is a per-request dependency. */
export async function userInput(ctx: fw.Context): Promise<UserInput> {
  const [body, error] = await ctx.ReadJSON();
  if (error !== null) throw error;
  const { name, mail } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof name !== "string" || name.trim() === "") throw new fw.HTTPError(422, "A user needs a name");
  if (typeof mail !== "string" || !mail.includes("@")) throw new fw.HTTPError(422, "A user needs a mail address");
  return { name: name.trim(), mail };
}
