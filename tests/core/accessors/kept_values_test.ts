import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import * as mvc from "@fw/web/mvc";
import { keptValues } from "../../../src/core/accessors/kept_values.ts";
import { assertLinear } from "../../growth.ts";
import { quiet } from "../../serving.ts";

const secret = [
  ..."password PASSWORD passwd passwort newPassword new_password newpassword oldPassword passwordRepeat".split(" "),
  ..."password_confirmation passwordconfirm password2 user[password] login.password passphrase passcode pwd".split(" "),
  ..."pass user_pass newPass pass2 pin cardPin card-pin pin_code PIN otp otpCode totp cvc cvv cvc2 csc".split(" "),
  ..."secret client_secret clientSecret apiKey api_key APIKey apikey secret_key private-key".split(" "),
  ..."csrf_token csrfToken authenticity_token api_token access_token refreshToken auth_token".split(" "),
];

const kept = [
  ..."name reset_token token tokenizer tokens token_count invite_token pin_color pinned shipping spinning".split(" "),
  ..."secret_santa secretary secrets_count passport passenger boarding_pass ski_pass compass bypass".split(" "),
  ..."otp_enabled option laptop capital passwordless_login topic key keyboard api_version constructor".split(" "),
];

Deno.test("keptValues() drops the fields whose names are those of secrets, as whole words", () => {
  for (const name of secret) assertEquals({ ...keptValues({ [name]: "a" }) }, {}, name);
});

Deno.test("keptValues() keeps all other fields", () => {
  for (const name of kept) assertEquals({ ...keptValues({ [name]: "a" }) }, { [name]: "a" }, name);
});

Deno.test("keptValues() drops repeated secrets, but not fields that have the same short value by accident", () => {
  const fields = { pin: "1234", confirm: "1234", year: "1234", password: "correct horse", again: "correct horse" };
  assertEquals({ ...keptValues({ ...fields, hint: "correct horse", name: "Ada" }) }, { year: "1234", name: "Ada" });
});

Deno.test("keptValues() obeys the options Secrets and Kept, and reports what it drops unasked", () => {
  const input = { answer: "blue", pin: "1234", password: "correct horse", repeated: ["blue", "x"], name: "Ada" };
  const dropped: string[] = [];
  const options = { Secrets: ["answer"], Kept: ["pin"] };
  const values = keptValues(input, { options, onDrop: (name) => dropped.push(name) });
  assertEquals({ ...values }, { pin: "1234", name: "Ada" });
  assertEquals(dropped, ["password", "repeated"]);
  assertThrows(() => keptValues({}, { options: { Secret: ["answer"] } as never }), fw.FrameworkError, "Secrets");
});

Deno.test("keptValues() takes time in proportion to the length of a name", async () => {
  for (const part of ["a", "A", "_", "passw", "pass ", " re", "1a"]) {
    const prepare = (size: number) => ({ [part.repeat(size)]: "x" });
    await assertLinear((input) => keptValues(input), { size: 10_000, prepare });
  }
});

const reset = z.object({ reset_token: z.string(), password: z.string().min(8, "Too short"), pet: z.string() });

class ResetController {
  Post(form = mvc.FormResult(reset, { Secrets: ["pet"] })) {
    return form.Values;
  }
  PostOther(form = mvc.FormResult(reset, { Kept: ["password"] })) {
    return form.Values;
  }
}

async function send(app: fw.Application, path: string) {
  const body = new URLSearchParams({ reset_token: "abc", password: "short", pet: "Rex" });
  return await (await app.fetch(new Request(`http://localhost${path}`, { method: "POST", body }))).json();
}

Deno.test("FormResult() and ReadForm() take the options of the form, in handlers and controllers", async () => {
  const app = quiet();
  app.Post("/plain", async (ctx) => ctx.JSON((await ctx.FormResult(reset)).Values));
  app.Post("/options", async (ctx) => ctx.JSON((await ctx.FormResult(reset, { Secrets: ["pet"] })).Values));
  app.Post("/read", async (ctx) => {
    const [, error] = await ctx.ReadForm(reset, { Secrets: ["pet"] });
    ctx.JSON(error instanceof fw.ValidationError ? error.Values : {});
  });
  mvc.New(app.Party("/controller")).Handle(ResetController);
  assertEquals(await send(app, "/plain"), { reset_token: "abc", pet: "Rex" });
  assertEquals(await send(app, "/options"), { reset_token: "abc" });
  assertEquals(await send(app, "/read"), { reset_token: "abc" });
  assertEquals(await send(app, "/controller"), { reset_token: "abc" });
  assertEquals(await send(app, "/controller/other"), { reset_token: "abc", password: "short", pet: "Rex" });
  assertThrows(() => mvc.FormResult(reset, { Keep: ["pet"] } as never), fw.FrameworkError, "Kept");
});

Deno.test("FormResult() warns in development of each field that it drops, once", async () => {
  const lines: string[] = [];
  const app = fw.New().Configure(fw.WithDevelopment);
  app.Logger().SetOutput((line: string) => void lines.push(line)).SetLevel("warn");
  app.Post("/plain", async (ctx) => ctx.JSON((await ctx.FormResult(reset)).Values));
  app.Post("/declared", async (ctx) => ctx.JSON((await ctx.FormResult(reset, { Secrets: ["password"] })).Values));
  for (const path of ["/plain", "/plain", "/declared"]) await send(app, path);
  const warnings = lines.filter((line) => line.includes("secret"));
  assertEquals(warnings.length, 1, lines.join("\n"));
  assert(warnings[0]?.includes('"POST /plain"') && warnings[0].includes('"password"'), warnings[0]);
});
