import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";

/** A stored tea. */
interface Tea {
  id: number;
  name: string;
  grams: number;
  picked: Date;
}

// The schemas of the inputs. The argument types below, the client and the document are derived from them.
const newTea = z.object({ name: z.string().min(2), grams: z.number().int().positive() });
const page = z.object({ limit: z.number().int().min(1).max(50).default(10), name: z.string().optional() });

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

/** Serves teas. Clients import only its type. */
class TeaController {
  readonly #teas = mvc.Inject(Teas);

  /** Lists teas, optionally filtered by name. */
  Get({ limit, name } = mvc.Query(page)): Tea[] {
    return this.#teas.all().filter((tea) => name === undefined || tea.name === name).slice(0, limit);
  }

  /** Returns a tea. */
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

/** Registers the controller and its description. */
export function handleTeas(m: mvc.Application): void {
  const tea = z.object({ id: z.int(), name: z.string(), grams: z.int(), picked: z.iso.datetime() });
  m.Register(new Teas()).Handle(TeaController).Describe(TeaController, {
    Get: { Summary: "Lists teas", Returns: z.array(tea) },
    GetBy: { Summary: "Finds a tea", Returns: tea },
    Post: { Summary: "Adds a tea", Returns: tea, Status: 201 },
  });
}
