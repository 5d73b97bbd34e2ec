/**
 * A page with `useChat` of the AI SDK. The fragment of its URL is the chat ID.
 *
 * @module
 */

import { useChat } from "npm:@ai-sdk/react@^4";
import { DefaultChatTransport } from "npm:ai@^7";
import { createElement as h } from "npm:react@^19";
import { createRoot } from "npm:react-dom@^19/client";
import * as client from "../../../src/live/answers/client/mod.ts";

interface Message {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
const id = location.hash.slice(1);
const transport = new DefaultChatTransport({ api: "/api/chat", fetch: client.NewFetch() });

function Chat(): unknown {
  const { messages, sendMessage, status, stop } = useChat({ id, resume: true, transport });
  const halt = async () => {
    // On a machine that is too busy, the answer is a 503.
    while (!(await fetch(`/api/chat/${id}/stop`, { method: "POST" })).ok);
    await stop();
  };
  return h(
    "div",
    null,
    h("p", { id: "status" }, status),
    h("button", { onClick: () => sendMessage({ text: id }) }, "Send"),
    h("button", { onClick: halt }, "Stop"),
    h("ul", null, ...(messages as Message[]).map((message) => h("li", { className: message.role }, textOf(message)))),
  );
}

function textOf({ parts }: Message): string {
  return parts.map(({ text = "" }) => text).join("");
}

createRoot(document.querySelector("main")).render(h(Chat));
