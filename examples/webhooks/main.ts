/**
 * Webhooks in both directions: a bank reports payments to the shop, and the shop reports them to a subscriber. All three
 * are routes of one application here.
 *
 * Run it with `deno task example webhooks`, pay with `curl -X POST localhost:8080/bank/orders/7`, and look at
 * `curl localhost:8080/subscriber`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as jobs from "jsr:@fw/web/jobs";
import * as webhooks from "jsr:@fw/web/webhooks";

/** The secrets. In an application, read them with `fw.Env`. */
const bankSecret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgYmFuaw==";
const subscriberSecret = "whsec_dGhlIHNlY3JldCBvZiBhIHN1YnNjcmliZXI=";

/** Creates the application. For production, pass a queue in a database, which does not lose webhooks at a restart. */
export function newApp(queue: jobs.Queue = jobs.New(jobs.NewMemory())): fw.Application {
  const app = fw.New();
  queue.RunWith(app);

  // The receivers of this example are on the same machine. Without Allow, they have to be public. In an application,
  // one job is enough: its Secret depends on the receiver.
  const Allow = ["127.0.0.1", "::1"];
  const Secret = ({ URL }: webhooks.Delivery) => URL.endsWith("/payments") ? bankSecret : subscriberSecret;
  const send = webhooks.Send({ Secret, Allow });
  queue.Handle(send);

  app.Post("/bank/orders/{order:int}", async (ctx) => {
    const Data = { order: ctx.Params().GetIntDefault("order", 0) };
    await queue.Add(send, { URL: ctx.AbsoluteURI("/shop/payments"), Data });
    ctx.StatusCode(202);
  });

  app.Post("/shop/payments", webhooks.Verify({ Secret: bankSecret }), async (ctx) => {
    const [payment, error] = await ctx.ReadJSON<{ order: number }>();
    if (error !== null) throw error;
    const delivery = { URL: ctx.AbsoluteURI("/subscriber"), Data: { paid: payment.order } };
    // The ID is signed. If the bank reports the payment again, no other job is added for a day.
    await queue.Add(send, delivery, { Key: ctx.GetHeader("webhook-id"), KeyFor: 86_400_000 });
    ctx.StatusCode(202);
  });

  const received: unknown[] = [];
  app.Get("/subscriber", (ctx) => ctx.JSON(received));
  app.Post("/subscriber", webhooks.Verify({ Secret: subscriberSecret }), async (ctx) => {
    const [news, error] = await ctx.ReadJSON();
    if (error !== null) throw error;
    received.push(news);
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr("127.0.0.1:8080"));
