/**
 * Mails: an order is confirmed in the customer's language by a job, with an invoice. In development, `/mails` shows
 * what would have been sent.
 *
 * Run it with `deno task example mail`, order with `curl -d "email=ada@example.com&name=Ada" localhost:8080/orders`, and
 * open http://localhost:8080/mails.
 *
 * Permissions: `--allow-net --allow-read=examples/mail`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as jobs from "jsr:@fw/web/jobs";
import * as mail from "jsr:@fw/web/mail";

const messages = {
  en: { subject: "Your order %d", hello: "Hello, %s!", link: "Your order", bye: "Enjoy your tea" },
  de: {
    subject: "Ihre Bestellung %d",
    hello: "Guten Tag, %s!",
    link: "Ihre Bestellung",
    bye: "Viel Freude mit dem Tee",
  },
};

/**
 * Creates the application. For production, pass a transport with an SMTP server, and a queue in a database, which does
 * not lose mails at a restart.
 */
export function newApp(
  transport: mail.Transport = mail.NewMemory(),
  queue: jobs.Queue = jobs.New(jobs.NewMemory()),
): fw.Application {
  const app = fw.Default();
  app.I18n.LoadKV(messages, "en", "de");
  queue.RunWith(app);
  const views = new URL("./mails/", import.meta.url);
  const mailer = mail.New({
    Transport: transport,
    From: "Teahouse <tea@example.com>",
    Views: fw.HTML(views).Layout("layout"),
    TextViews: fw.HTML(views, ".txt"),
    App: app,
    URL: "http://localhost:8080",
    Queue: queue,
  });

  let last = 0;
  app.Get("/orders/{id:int}", (ctx) => ctx.WriteString(`Order ${ctx.Params().Get("id")}`)).SetName("order");
  app.Post("/orders", async (ctx) => {
    const order = ++last;
    const [Address, Name] = [await ctx.PostValue("email"), await ctx.PostValue("name")];
    await mailer.Send.Later({
      To: { Name, Address },
      View: "order",
      Data: { Name, Order: order },
      Language: ctx.GetLocale().Language(),
      Attachments: [{ Name: `invoice-${order}.txt`, Type: "text/plain", Content: `Invoice ${order}\n` }],
    });
    ctx.StatusCode(201);
    ctx.JSON({ order });
  });
  return app;
}

if (import.meta.main) {
  const memory = mail.NewMemory();
  const app = newApp(memory);
  memory.Register(app.Party("/mails")); // for development only: anyone who can open it can read all mails
  await app.Run(fw.Addr("127.0.0.1:8080"), fw.WithDevelopment);
}
