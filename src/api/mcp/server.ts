/**
 * A Model Context Protocol server within an application.
 *
 * @module
 */

import type { Application } from "../../core/app/application.ts";
import { parseBasePath } from "../../base/text/base_path.ts";
import type { Handler } from "../../core/context/handler.ts";
import { asPage, noteFacts } from "../../core/exchange/handler_facts.ts";
import { Calls } from "./calls.ts";
import { Changes, type ListName } from "./changes.ts";
import { Endpoint } from "./endpoint.ts";
import type { Service } from "./methods.ts";
import { type Options, settingsOf } from "./options.ts";
import { readPanel } from "./panel.ts";
import { announceMetadata, metadataPath, serveMetadata } from "./protected_resource.ts";
import { ProtocolSessions } from "./protocol_sessions.ts";
import { RequestStates } from "./request_state.ts";
import type { Tool } from "./tool/tool.ts";
import { buildOffers } from "./tools.ts";

/** A Model Context Protocol server. */
export class Server {
  readonly #app: Application;
  readonly #service: () => Service;
  readonly #changes: Changes;

  /**
   * Created by `mcp.New`.
   *
   * @param app The application.
   * @param options The server options.
   */
  constructor(app: Application, options: Options) {
    const settings = settingsOf(options);
    const { Party: party = app, Path, Guards, Authorization, Sessions, Keys } = settings;
    const fixed = {
      settings,
      calls: new Calls(app, settings),
      changes: this.#changes = new Changes(settings.MaxStreams),
      states: new RequestStates(Keys, Sessions === false ? undefined : Sessions?.Store),
      sessions: Sessions === false ? undefined : new ProtocolSessions(Sessions ?? {}),
    };
    let service: Service | undefined;
    this.#app = app;
    this.#service = () =>
      service ??= { ...fixed, ...buildOffers(party, settings, (warning) => app.Logger().Warn(warning)) };
    const endpoint = new Endpoint(this.#service);
    const before = [...Guards];
    if (Authorization !== undefined) before.unshift(announceMetadata(() => path, Authorization));
    const mcpMessage: Handler = (ctx) => endpoint.receive(ctx);
    const mcpStream: Handler = (ctx) => endpoint.stream(ctx);
    const mcpEnd: Handler = (ctx) => endpoint.end(ctx);
    const path = party.Post(Path, ...before, noteFacts(asPage(mcpMessage), { isRelay: true })).Path;
    party.Get(Path, ...before, asPage(mcpStream));
    party.Delete(Path, ...before, noteFacts(asPage(mcpEnd), { isRelay: true }));
    if (Authorization !== undefined) {
      app.Get(metadataPath(path), serveMetadata(settings.Name, path, Authorization));
    }
    // The tools are built at start-up, so that a controller without routes is reported then and not with the first
    // message.
    app.Install({
      Name: "mcp",
      Many: true,
      Install: (host) => {
        host.Check("tools", async () => void await this.#service(), "start");
        host.Panel("Tools", async (call) =>
          await readPanel(await this.Tools(), call, async (headers, body) => {
            const url = `http://localhost${parseBasePath(app.Configuration().BasePath) ?? ""}${path}`;
            return await app.fetch(new Request(url, { method: "POST", headers, body }));
          }));
      },
    });
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

  /**
   * Notifies clients that a list has changed, for example because users have other roles. Only clients that are
   * connected to this process are notified.
   *
   * @param list The list.
   */
  ListChanged(list: ListName): void {
    this.#changes.publish({ list });
  }

  /**
   * Notifies the clients that have subscribed to a resource. Only clients that are connected to this process are
   * notified.
   *
   * @param uri The URI of the resource.
   */
  ResourceChanged(uri: string): void {
    this.#changes.publish({ uri });
  }
}
