import { assertType, type IsExact } from "@std/testing/types";
import type { ControllerGuard } from "../../../mvc/reflect/guard.ts";
import type { Context } from "../../../src/context/context.ts";

/** As `mvc.Application.Handle` declares it. */
function handle<C extends object>(_controller: C & ControllerGuard<C>): void {}

const BY = "give it a default value, 0 for an int, 0n for a long, false for a bool";
type Fault<Name extends string> = `Method ${Name} has a required argument that is not a string: ${typeof BY}`;

Deno.test("ControllerGuard lets every controller through that receives what it declares", () => {
  class Log {}
  class Users {
    Ctx!: Context;
    #hidden = 1;
    log = new Log();
    constructor(log = new Log()) {
      this.log = log;
    }
    Get(): number {
      return this.#hidden;
    }
    GetLogin(_ctx: Context, _log = new Log()): void {}
    GetBy(_id = 0n, _log = new Log()): void {}
    GetUserBy(_name: string): void {}
    GetWelcomeBy(_name: string, _times = 0): void {}
    GetPageBy(_ctx: Context, _name: string, _ok = false): void {}
    GetByWildcard(_path: string): void {}
    GetAnythingBy(_value: unknown, _other: string | number): void {}
    GetByteSize(_ctx: Context): void {}
    GetOptionalBy(_name?: string): void {}
    Getter(_id: number): void {}
    GetBy2(_ctx: Context): void {}
    Custom(_id: bigint): void {}
    getBy(_id: number): void {}
    static GetBy(_id: number): void {}
    get GetName(): string {
      return "";
    }
  }
  handle(Users);
  handle(new Users());
  handle({ Get: (ctx: Context) => ctx.Path() });
  assertType<IsExact<ControllerGuard<typeof Users>, unknown>>(true);
});

Deno.test("ControllerGuard refuses a By method with a required argument that is not a string", () => {
  class Numbers {
    GetBy(_id: number): void {}
  }
  // @ts-expect-error A required number would receive a string.
  handle(Numbers);
  // @ts-expect-error The same holds for an instance.
  handle(new Numbers());
  assertType<IsExact<ControllerGuard<typeof Numbers>, Fault<"GetBy">>>(true);

  class Second {
    PostUserByFollowersBy(_name: string, _id: bigint): void {}
  }
  // @ts-expect-error The second argument is not a string either.
  handle(Second);
  assertType<IsExact<ControllerGuard<typeof Second>, Fault<"PostUserByFollowersBy">>>(true);

  class Late {
    GetBy(_name: string, _ctx: Context): void {}
  }
  // @ts-expect-error The Context comes first or not at all.
  handle(Late);

  class Brand {
    GetJSONBy(_id: string & { readonly brand: "id" }): void {}
  }
  // @ts-expect-error Nothing checks that the text is such an id.
  handle(Brand);

  class Inherited extends Numbers {
    Get(): void {}
  }
  // @ts-expect-error Inherited methods are routes too.
  handle(Inherited);

  class Two {
    GetBy(_id: number): void {}
    AnyThingByWildcard(_path: boolean): void {}
  }
  assertType<IsExact<ControllerGuard<typeof Two>, Fault<"GetBy"> | Fault<"AnyThingByWildcard">>>(true);
});

Deno.test("ControllerGuard refuses a method without By that requires more than the Context", () => {
  class Query {
    Get(_page: number): void {}
  }
  // @ts-expect-error The lone argument is the Context.
  handle(Query);
  class Extra {
    GetLogin(_ctx: Context, _id: string): void {}
  }
  // @ts-expect-error Nothing can be bound to the second argument.
  handle(Extra);
  assertType<
    IsExact<
      ControllerGuard<typeof Extra>,
      "Method GetLogin has no By in its name, so its only required argument can be the Context"
    >
  >(true);
});

Deno.test("ControllerGuard refuses a class whose constructor requires arguments", () => {
  class Needy {
    readonly id: number;
    constructor(id: number) {
      this.id = id;
    }
  }
  // @ts-expect-error Nothing would pass the id.
  handle(Needy);
  handle(new Needy(1));
});
