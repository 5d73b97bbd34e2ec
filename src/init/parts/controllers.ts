/**
 * A controller with a service.
 *
 * @module
 */

import type { Part } from "./part.ts";
import { importZod, zod } from "./zod.ts";

/** Notes, kept in memory. */
export const controllers: Part = {
  about: "`/notes` is a controller: its method names are its routes, and its service is injected",
  tryIt: `curl localhost:8080/notes --json '{"text":"tea"}'   # {"id":1,"text":"tea"}`,
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
  tests: `Deno.test("/notes keeps what is posted", async () => {
  const client = httptest.New(quietApp());
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
    "notes/service.ts": `/** What is kept of a note. */
export interface Note {
  id: number;
  text: string;
}

/** Keeps notes in memory; put a database here. */
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

/** What a client sends to create a note. */
const noteInput = z.object({ text: z.string().min(1) });

/** Serves notes: the names of its methods are its routes. */
export class NoteController {
  readonly #notes = mvc.Inject(Notes);

  /** GET /notes */
  Get(): Note[] {
    return this.#notes.all();
  }

  /** GET /notes/{id}: the default value says that the id is an integer, and false is a 404. */
  GetBy(id = 0): mvc.Tuple<Note | undefined, boolean> {
    const note = this.#notes.find(id);
    return mvc.Tuple(note, note !== undefined);
  }

  /** POST /notes: a body that the schema refuses gets 422 with the reasons. */
  Post(input = mvc.Body(noteInput)): mvc.Tuple<Note, number> {
    return mvc.Tuple(this.#notes.add(input.text), 201);
  }

  /** DELETE /notes/{id} */
  DeleteBy(id = 0): number {
    return this.#notes.remove(id) ? 204 : 404;
  }
}
`,
  },
};
