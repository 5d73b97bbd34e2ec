import { assertType, type IsExact } from "@std/testing/types";
import type * as mvc from "../../../mvc/mod.ts";
import type { ControllerGuard } from "../../../mvc/reflect/controller_guard.ts";
import type { From } from "../../../mvc/reflect/input_type.ts";
import type { HasBy, RouteName } from "../../../mvc/reflect/method_parser.ts";
import type { Context } from "../../../src/core/context/context.ts";

/** Passes a controller on to `Handle`, as a helper of an application would. It is only compiled. */
function handle<C extends object>(controller: C & ControllerGuard<C>, m?: mvc.Application): void {
  m?.Handle<C>(controller);
}

const BY = "give it a default value, 0 for an int, 0n for a long, false for a bool";
type Fault<Name extends string> = `Method ${Name} has a required argument that is not a string: ${typeof BY}`;

Deno.test("ControllerGuard accepts controllers with valid signatures", () => {
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

Deno.test("ControllerGuard rejects a By method with a required argument that is not a string", () => {
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
  // @ts-expect-error Nothing validates that the string is such an ID.
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

Deno.test("ControllerGuard rejects a method without By that requires more than the Context", () => {
  class Query {
    Get(_page: number): void {}
  }
  // @ts-expect-error The only argument is the Context.
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

Deno.test("ControllerGuard rejects a class whose constructor requires arguments", () => {
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

Deno.test("ControllerGuard rejects a path argument of a literal type, which is not validated", () => {
  class Roles {
    GetBy(role: "admin" | "user" = "user"): string {
      return role;
    }
  }
  // @ts-expect-error Any string would be accepted as a role.
  handle(Roles);
  assertType<
    IsExact<
      ControllerGuard<typeof Roles>,
      "Method GetBy has an argument of a literal type, which nothing checks in a path: declare it as string, number, bigint or boolean"
    >
  >(true);
  class Levels {
    GetBy(level: 1 | 2 = 1): number {
      return level;
    }
  }
  // @ts-expect-error The same holds for numbers.
  handle(Levels);
  class Flags {
    GetBy(on: true = true): boolean {
      return on;
    }
  }
  // @ts-expect-error The same holds for booleans.
  handle(Flags);
  class Branded {
    GetBy(_id = "" as string & { readonly brand: "id" }): void {}
  }
  // @ts-expect-error Nothing validates that the string is such an ID.
  handle(Branded);
});

Deno.test("ControllerGuard accepts wide types, services and typed inputs of any type", () => {
  class Wide {
    GetBy(_name = "", _id = 0, _long = 0n, _ok = false, _either: string | number = ""): void {}
    PutBy(_id = 0, _role = "user" as "admin" | From<"Query", string>, _log = new Date()): void {}
    Put(_role = "user" as "admin" | "user"): void {}
  }
  handle(Wide);
});

Deno.test("ControllerGuard rejects an abstract class and a union of classes", () => {
  abstract class Base {
    Get(): void {}
  }
  class First extends Base {
    Put(): void {}
  }
  class Second extends Base {
    Post(): void {}
  }
  // @ts-expect-error It has no instances.
  handle(Base);
  assertType<
    IsExact<ControllerGuard<typeof Base>, "An abstract class has no instances: pass a class that extends it">
  >(true);
  const either = Math.random() > 2 ? First : Second;
  // @ts-expect-error Which of them is served is not known.
  handle(either);
  const instance: { Get(): void } | { Post(): void } = Math.random() > 2 ? { Get() {} } : { Post() {} };
  // @ts-expect-error The same holds for instances.
  handle(instance);
  handle(First);
  handle(Second);
});

Deno.test("ControllerGuard does not check a class with custom routes", () => {
  class Hand {
    BeforeActivation(): void {}
    GetThing(_day: number, _id = 0n): void {}
    GetBy(_id: bigint): void {}
  }
  handle(Hand);
  handle(new Hand());
});

Deno.test("RouteName and HasBy agree with parseMethodName()", () => {
  assertType<IsExact<RouteName<"Get">, "Get">>(true);
  assertType<IsExact<RouteName<"GetÜberUns">, "GetÜberUns">>(true);
  assertType<IsExact<RouteName<"Getter" | "Get2" | "Get_User" | "getUser" | "Headers" | "BeginRequest">, never>>(true);
  assertType<IsExact<HasBy<"GetBy">, true>>(true);
  assertType<IsExact<HasBy<"GetByteSizeByUser">, true>>(true);
  assertType<IsExact<HasBy<"GetByteSize" | "Get" | "GetBy2">, false>>(true);
});

Deno.test("ControllerGuard checks the signatures of hooks and the type of Ctx", () => {
  class Hooks {
    Ctx!: Context;
    BeginRequest(_ctx: Context, _extra = 1): void {}
    EndRequest(): void {}
    HandleError(_ctx: Context, _error: Error, _extra = 1): void {}
    Get(): void {}
  }
  handle(Hooks);
  assertType<IsExact<ControllerGuard<typeof Hooks>, unknown>>(true);
  class Few {
    HandleError(_ctx: Context): void {}
    Get(): void {}
  }
  handle(Few);
  class Swapped {
    HandleError(_error: Error, _ctx: Context): void {}
    Get(): void {}
  }
  // @ts-expect-error The Context comes first.
  handle(Swapped);
  type Sentence = "HandleError is called with the Context and an Error, in this order";
  assertType<IsExact<ControllerGuard<typeof Swapped>, Sentence>>(true);
  class Begin {
    BeginRequest(_ctx: string): void {}
    Get(): void {}
  }
  // @ts-expect-error It receives the Context.
  handle(Begin);
  class End {
    EndRequest(_ctx: Context, _required: number): void {}
    Get(): void {}
  }
  // @ts-expect-error It receives nothing else.
  handle(End);
  class Field {
    Ctx!: string;
    Get(): void {}
  }
  // @ts-expect-error The field must be the Context.
  handle(Field);
});

Deno.test("ControllerGuard can be used in a generic helper", () => {
  function serve<C extends object>(controller: C & ControllerGuard<C>): void {
    handle<C>(controller);
  }
  class Users {
    GetBy(_id = 0): void {}
  }
  serve(Users);
});
