import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";

/** What is kept of a tea. */
interface Tea {
  id: number;
  name: string;
  grams: number;
  picked: Date;
}

// What clients may send: the types of the arguments below, the client and the document all come from these.
const newTea = z.object({ name: z.string().min(2), grams: z.number().int().positive() });
const page = z.object({ limit: z.coerce.number().int().min(1).max(50).default(10), name: z.string().optional() });

class Teas {
  readonly #teas = new Map<number, Tea>();

  all(): Tea[] {
    return [...this.#teas.values()];
  }

  find(id: number): Tea | undefined {
    return this.#teas.get(id);
  }

  add(name: string, grams: number): Tea {
    const tea = { id: this.#teas.size + 1, name, grams, picked: new Date(0) };
    this.#teas.set(tea.id, tea);
    return tea;
  }
}

/** Serves teas. Clients import its type alone. */
class TeaController {
  readonly #teas = mvc.Inject(Teas);

  /** Lists teas, those of one name if it is given. */
  Get({ limit, name } = mvc.Query(page)): Tea[] {
    return this.#teas.all().filter((tea) => name === undefined || tea.name === name).slice(0, limit);
  }

  /** Finds a tea. */
  GetBy(id = 0): mvc.Tuple<Tea | undefined, boolean> {
    const tea = this.#teas.find(id);
    return mvc.Tuple(tea, tea !== undefined);
  }

  /** Adds a tea. */
  Post(tea = mvc.Body(newTea)): mvc.Tuple<Tea, number> {
    return mvc.Tuple(this.#teas.add(tea.name, tea.grams), 201);
  }
}

export type { TeaController };

/** Registers the controller and what is said of it. */
export function handleTeas(m: mvc.Application): void {
  const tea = z.object({ id: z.int(), name: z.string(), grams: z.int(), picked: z.iso.datetime() });
  m.Register(new Teas()).Handle(TeaController).Describe(TeaController, {
    Get: { Summary: "Lists teas", Returns: z.array(tea) },
    GetBy: { Summary: "Finds a tea", Returns: tea },
    Post: { Summary: "Adds a tea", Returns: tea, Status: 201 },
  });
}
