/**
 * Tools for agents. A controller is available over the Model Context Protocol, behind the same guard as over HTTP.
 *
 * Run it with `deno task example mcp_tools` and add http://localhost:8080/mcp to an MCP client, with the header
 * `Authorization: Bearer` and the token that it prints. `npx @modelcontextprotocol/inspector` is such a client.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as keys from "jsr:@fw/web/keys";
import * as mcp from "jsr:@fw/web/mcp";
import * as jwt from "jsr:@fw/web/middleware/jwt";
import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";

const newNote = z.object({ text: z.string().min(1).max(500).describe("What is to be remembered") });
const filter = z.object({ word: z.string().optional().describe("Only notes that contain it") });

/** Stores notes. Each user has separate notes. */
class NoteController {
  static readonly notes = new Map<string, string[]>();
  readonly #ctx = mvc.Inject(fw.Context);

  get #own(): string[] {
    return NoteController.notes.getOrInsert(this.#ctx.User()?.Name ?? "", []);
  }

  Get({ word = "" } = mvc.Query(filter)): { notes: string[] } {
    return { notes: this.#own.filter((note) => note.includes(word)) };
  }

  Post({ text } = mvc.Body(newNote)): mvc.Tuple<{ id: number }, number> {
    return mvc.Tuple({ id: this.#own.push(text) }, 201);
  }
}

/** Creates the application. */
export function newApp(secret: string): fw.Application {
  const app = fw.Default();
  const guard = jwt.New({ Algorithms: ["HS256"], Key: secret });
  mvc.New(app.Party("/notes", guard)).Handle(NoteController).Describe(NoteController, {
    Get: { Summary: "Lists the user's notes" },
    Post: { Summary: "Adds a note" },
  });
  // The methods become tools with the same schemas. The guard of the notes runs again for every call.
  mcp.New(app, { Name: "notes", Controllers: [NoteController], Guards: [guard] });
  return app;
}

if (import.meta.main) {
  const secret = keys.Generate();
  const app = newApp(secret);
  const token = await jwt.NewSigner({ Algorithm: "HS256", Key: secret }).Sign({ sub: "ada" });
  app.Logger().Info(`Authorization: Bearer ${token}`);
  await app.Run(fw.Addr(":8080"));
}
