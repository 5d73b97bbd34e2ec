/**
 * Pages with forms. The forms are validated, shown again with their errors and values, and redirected after success.
 *
 * Run it with `deno task example forms` and open http://localhost:8080.
 *
 * Permissions: `--allow-net --allow-read=examples/forms`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as csrf from "jsr:@fw/web/middleware/csrf";
import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";

const signup = z.object({
  email: z.email("Enter an email address"),
  password: z.string().min(8, "Use at least 8 characters"),
  repeat: z.string(),
}).refine(({ password, repeat }) => password === repeat, { path: ["repeat"], error: "The passwords differ" });

const order = z.object({
  tea: z.enum(["Assam", "Sencha"], "Choose a tea"),
  grams: z.number("Enter a number").int("Enter a whole number").min(50, "Order at least 50 g"),
  extras: z.array(z.enum(["cup", "honey"])).default([]),
});

/** Handles the same form in a controller. The form result is the default value of an argument. */
class OrderController {
  Get(): mvc.View {
    return new mvc.View({ Name: "order", Data: { form: fw.NewForm({ tea: "Assam", grams: "100" }) } });
  }

  Post(form = mvc.FormResult(order)): mvc.View | mvc.Response {
    if (!form.IsValid) return new mvc.View({ Name: "order", Data: { form }, Code: 422 });
    // Redirect with 303 after a POST request, so that reloading the next page does not send the order again.
    return new mvc.Response({ Path: `/done?what=${form.Value.grams} g of ${form.Value.tea}` });
  }
}

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const emails = new Set(["ada@example.com"]);
  app.RegisterView(fw.HTML(new URL("./views/", import.meta.url)).Layout("layout"));
  app.UseRouter(csrf.New());

  app.Get("/", (ctx) => ctx.View("signup", { form: fw.NewForm() }));
  app.Post("/", async (ctx) => {
    let form: fw.FormResult<z.output<typeof signup>> = await ctx.FormResult(signup);
    // A schema cannot check the database.
    if (form.IsValid && emails.has(form.Value.email)) form = form.WithError("email", "This address is already in use");
    if (!form.IsValid) {
      ctx.StatusCode(422);
      return ctx.View("signup", { form });
    }
    emails.add(form.Value.email);
    ctx.Redirect(`/done?what=${encodeURIComponent(form.Value.email)}`, 303);
  });
  app.Get("/done", (ctx) => ctx.View("done", { what: ctx.URLParam("what") }));

  mvc.New(app.Party("/order")).Handle(OrderController);
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
