/**
 * A Model Context Protocol server within an application.
 *
 * @module
 */

import type { Application } from "../app/application.ts";
import { registryOf } from "../app/party.ts";
import type { Context } from "../context/context.ts";
import { Calls } from "./calls.ts";
import { Endpoint } from "./endpoint.ts";
import type { Service } from "./methods.ts";
import { type Options, settingsOf } from "./options.ts";
import { announceMetadata, metadataPath, serveMetadata } from "./protected_resource.ts";
import { ProtocolSessions } from "./protocol_sessions.ts";
import type { Tool } from "./tool.ts";
import { buildTools } from "./tools.ts";

/** A Model Context Protocol server. */
export class Server {
  readonly #app: Application;
  readonly #service: () => Service;

  /**
   * Created by `mcp.New`.
   *
   * @param app The application.
   * @param options The server options.
   */
  constructor(app: Application, options: Options) {
    const settings = settingsOf(options);
    const { Party: party = app, Path, Guards = [], Authorization, Sessions } = settings;
    const calls = new Calls(app, settings);
    let service: Service | undefined;
    this.#app = app;
    this.#service = () => service ??= { settings, calls, tools: buildTools(party, settings) };
    const endpoint = new Endpoint(
      this.#service,
      Sessions === false ? undefined : new ProtocolSessions(Sessions ?? {}),
    );
    const hidden = { Hidden: true };
    const before = [...Guards];
    const path = party.Get(Path, (ctx: Context) => endpoint.refuseStream(ctx)).Describe(hidden).Path;
    if (Authorization !== undefined) {
      before.unshift(announceMetadata(path, Authorization));
      app.Get(metadataPath(path), serveMetadata(settings.Name, path, Authorization)).Describe(hidden);
    }
    party.Post(Path, ...before, (ctx: Context) => endpoint.receive(ctx)).Describe(hidden);
    party.Delete(Path, ...before, (ctx: Context) => endpoint.end(ctx)).Describe(hidden);
    // The tools are built at start-up, so that a controller without routes is reported then and not with the first
    // message.
    registryOf(app).loads.push(async () => void await this.#service());
  }

  /**
   * Lists the tools. Builds the application if it has not been built yet.
   *
   * @returns The tools, as clients see them.
   */
  async Tools(): Promise<readonly Tool[]> {
    await this.#app.Build();
    return [...this.#service().tools.values()].map(({ tool }) => tool);
  }
}
