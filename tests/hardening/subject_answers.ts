/**
 * The part of the subject that writes answers. Each user has their own.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as answers from "@fw/web/answers";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const answerFeatures: readonly string[] = ["answers"];

/** Adds the routes of a chat. Its answers contain the secret and do not end by themselves. */
export function addAnswers(app: fw.Application): void {
  const chat = answers.New({ Owner: userOf, MaxParts: 100 });
  const party = app.Party("/answers");
  party.Post("/{id}", (ctx) => chat.Start(ctx, ctx.Params().Get("id"), reply));
  party.Get("/{id}/stream", (ctx) => chat.Resume(ctx, ctx.Params().Get("id"), reply));
  party.Get("/{id}/ended", (ctx) => chat.Resume(ctx, ctx.Params().Get("id"), reply, { Ended: true }));
  party.Post("/{id}/stop", (ctx) => chat.Stop(ctx, ctx.Params().Get("id")));
}

async function* reply({ Signal: signal }: answers.Answer): AsyncGenerator<answers.PartsAt> {
  yield answers.At(1, secret);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

function userOf(ctx: fw.Context): string {
  return /^Bearer (ada|bob)$/.exec(ctx.GetHeader("authorization"))?.[1] ?? "";
}
