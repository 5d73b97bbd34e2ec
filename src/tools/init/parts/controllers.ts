/**
 * The controller of a new application.
 *
 * @module
 */

import { importZod, type Part, zod } from "./part.ts";

/** A controller for notes stored in memory. */
export const controllers: Part = {
  about: "`/notes` is served by a controller with an injected service",
  tryIt: `curl localhost:8080/notes --json "{\\"text\\":\\"tea\\"}"   # {"id":1,"text":"tea"}`,
  packages: zod,
  declarations: "",
  imports: [
    'import * as mvc from "@fw/web/mvc";',
    'import { NoteController } from "./notes/controller.ts";',
    'import { Notes } from "./notes/service.ts";',
  ],
  routes: `mvc.Configure(app.Party("/notes"), (m) => {
  m.Register(new Notes());
  m.Handle(NoteController);
});`,
  tests: `Deno.test("/notes stores and returns notes", async () => {
  const client = httptest.New(quietApp()).WithUnguardedWrites();
  await client.POST("/notes").WithJSON({ text: "tea" }).Expect().Status(201).JSON({ id: 1, text: "tea" });
  await client.POST("/notes").WithJSON({ text: 1 }).Expect().Status(422);
  await client.GET("/notes").Expect().JSON([{ id: 1, text: "tea" }]);
  await client.GET("/notes/1").Expect().JSON({ id: 1, text: "tea" });
  await client.GET("/notes/2").Expect().Status(404);
  await client.DELETE("/notes/1").Expect().Status(204);
});`,
  permissions: [],
  includes: [],
  files: {
    "notes/service.ts": `/** A stored note. */
export interface Note {
  id: number;
  text: string;
}

/** Stores notes in memory. Replace it with a database. */
export class Notes {
  readonly #notes = new Map<number, Note>();
  #last = 0;

  all(): Note[] {
    return [...this.#notes.values()];
  }

  find(id: number): Note | undefined {
    return this.#notes.get(id);
  }

  add(text: string): Note {
    const note = { id: ++this.#last, text };
    this.#notes.set(note.id, note);
    return note;
  }

  remove(id: number): boolean {
    return this.#notes.delete(id);
  }
}
`,
    "notes/controller.ts": `import * as mvc from "@fw/web/mvc";
${importZod}
import { type Note, Notes } from "./service.ts";

/** The request body that creates a note. */
const noteInput = z.object({ text: z.string().min(1) });

/** Serves notes. The method names are the routes. */
export class NoteController {
  readonly #notes = mvc.Inject(Notes);

  /** Lists all notes (GET /notes). */
  Get(): Note[] {
    return this.#notes.all();
  }

  /** Returns a note (GET /notes/{id}). The default value makes the ID an integer, and false responds with 404. */
  GetBy(id = 0): mvc.Tuple<Note | undefined, boolean> {
    const note = this.#notes.find(id);
    return mvc.Tuple(note, note !== undefined);
  }

  /** Creates a note (POST /notes). Responds with 422 if the body is invalid. */
  Post(input = mvc.Body(noteInput)): mvc.Tuple<Note, number> {
    return mvc.Tuple(this.#notes.add(input.text), 201);
  }

  /** Deletes a note (DELETE /notes/{id}). */
  DeleteBy(id = 0): number {
    return this.#notes.remove(id) ? 204 : 404;
  }
}
`,
  },
};
