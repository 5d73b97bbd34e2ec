/** The chat's WebSocket controller. */

import * as mvc from "jsr:@fw/web/mvc";
import type * as websocket from "jsr:@fw/web/websocket";
import { z } from "npm:zod@^4";

const say = z.object({ room: z.literal("tea"), text: z.string().trim().min(1).max(200) });

/** A chat message. */
export interface Said {
  readonly by: string;
  readonly text: string;
}

/** Handles a connection. Each connection has its own instance. */
class ChatController {
  static Namespace = "chat";
  Conn!: websocket.Conn<ChatController>;
  /** Declares the events that clients receive. It is used only as a type. */
  Emits!: { said: Said; members: string[] };

  /** Rejects visitors without a name. */
  OnNamespaceConnect(): boolean {
    return this.#name() !== "";
  }

  OnRoomJoin(room = ""): boolean {
    return room === "tea";
  }

  async OnSay(message = mvc.Body(say)): Promise<{ ok: boolean }> {
    await this.Conn.To(message.room).Emit("said", { by: this.#name(), text: message.text });
    return { ok: true };
  }

  #name(): string {
    return this.Conn.Session()?.GetString("name") ?? "";
  }
}

/** Serves the chat. */
export function serveChat(m: mvc.Application): void {
  m.HandleWebsocket(ChatController);
}
