/**
 * Streams model answers that survive page reloads, lost connections and server restarts. Clients continue after the
 * last part that they received, several tabs see the same answer, and the model is called only once. Answers are sent
 * in the AI SDK's format, so `useChat` can read them.
 *
 * @example Send the answer of a model
 * ```ts
 * import * as fw from "@fw/web";
 * import * as answers from "@fw/web/answers";
 *
 * // The stream of a model, such as `streamText({ … }).toUIMessageStream()` of the AI SDK.
 * async function* model(question: string) {
 *   yield "You asked: ";
 *   yield question;
 *   yield { type: "source-url", sourceId: "1", url: "https://example.com/" };
 * }
 *
 * const chat = answers.New({ Owner: () => "ada" });
 * const app = fw.New();
 * app.Post("/api/chat", async (ctx) => {
 *   const { id, question } = await ctx.Request().json();
 *   await chat.Start(ctx, id, () => model(question));
 * });
 * app.Get("/api/chat/{id}/stream", (ctx) => chat.Resume(ctx, ctx.Params().Get("id")));
 * app.Post("/api/chat/{id}/stop", (ctx) => chat.Stop(ctx, ctx.Params().Get("id")));
 *
 * const body = JSON.stringify({ id: "chat1", question: "Why?" });
 * const response = await app.fetch(new Request("http://localhost/api/chat", { method: "POST", body }));
 * const text = await response.text();
 * text.includes('"delta":"You asked: "'); // → true
 * text.endsWith("data: [DONE]\n\n"); // → true
 * ```
 *
 * @module
 */

import { Answers } from "./answers.ts";
import type { AnswersOptions } from "./options.ts";

export type { Answer, AnswerFunc, EndedAnswer } from "./answer.ts";
export type { Outcome } from "./answer_record.ts";
export { Answers, type ResumeOptions, type StartOptions } from "./answers.ts";
export type { AnswersOptions } from "./options.ts";
export { type AnswerSource, At, type Part, PartsAt } from "./part.ts";

/**
 * Creates the answers of an application, which stream the output of a language model (LLM) to browsers.
 *
 * @param options The hub that records the answers, the owner of conversations, and the limits.
 * @returns The answers.
 * @throws {FrameworkError} If an option is invalid.
 */
export function New(options: AnswersOptions = {}): Answers {
  return new Answers(options);
}
