import { assertEquals } from "@std/assert";
import { parseMethodName, splitWords } from "../../../mvc/reflect/method_parser.ts";
import { routeByName } from "../../../mvc/route/route_by_name.ts";
import { RoutedMethod } from "../../../mvc/route/routed_method.ts";
import { readSignature } from "../../../src/base/signature/parameter_list.ts";

/**
 * Returns the verb and path of a method written as `Name(parameters)`, its error message, or `undefined` if it is not a
 * route.
 */
function routeOf(method: string): string | undefined {
  const name = method.slice(0, method.indexOf("("));
  const parsed = parseMethodName(name);
  if (parsed === undefined) return undefined;
  const verb = parsed.methods.length === 1 ? parsed.methods[0] : "*";
  try {
    const routed = new RoutedMethod(`C.${name}`, readSignature(`${method} {}`) ?? []);
    return `${verb} ${routeByName(routed, parsed).path}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const NOTHING = "needs an argument without a default value or with a literal default value, and none is left; " +
  "add one or route the method with b.Handle in BeforeActivation";

const NEITHER = "has neither a literal nor a call there, which a minifier may turn into a literal; " +
  "write the literal itself or mvc.Inject(...), or use the value in the body";
const MEANT = "may be meant as the Context or as a path parameter; " +
  'name the Context "ctx", or give a path parameter a default value';
const SHORTENED = "may be the Context or a path parameter, since a minifier may have shortened its name; " +
  'use this.Ctx or mvc.Inject(fw.Context) for the Context, and a default value of "" for a path parameter';

/**
 * The routes by method. The rows of section 4.4 of the specification come first, followed by those of the Go framework.
 */
const routes: Record<string, string | undefined> = {
  // From section 4.4 of the specification
  "Get()": "GET /",
  "Post()": "POST /",
  "Put()": "PUT /",
  "Delete()": "DELETE /",
  "Connect()": "CONNECT /",
  "Head()": "HEAD /",
  "Patch()": "PATCH /",
  "Options()": "OPTIONS /",
  "Trace()": "TRACE /",
  "All()": "* /",
  "Any()": "* /",
  "GetLogin()": "GET /login",
  "GetProfileFollowers()": "GET /profile/followers",
  "GetBy(id = 0n)": "GET /{id:long}",
  "PostBy(id = 0n)": "POST /{id:long}",
  "GetBy(username)": "GET /{username:string}",
  "GetByWildard(path)": "GET /{path:path}",
  "GetUserBy(username)": "GET /user/{username:string}",
  "GetWelcomeBy(name, numTimes = 0)": "GET /welcome/{name:string}/{numTimes:int}",
  // words
  "PostLogin()": "POST /login",
  "PutSomethingIntoThis()": "PUT /something/into/this",
  "HeadHealth()": "HEAD /health",
  "OptionsAll()": "OPTIONS /all",
  "AllPing()": "* /ping",
  "GetAny()": "GET /any",
  "GetPost()": "GET /post",
  "GetByteSize()": "GET /byte/size",
  "GetByproduct()": "GET /byproduct",
  "GetWildcard()": "GET /wildcard",
  "GetWildard()": "GET /wildard",
  "Get(ctx)": "GET /",
  "Get(anything)": "GET /",
  "Get(_ctx, log = mvc.Inject(Log))": "GET /",
  "Get(log = mvc.Inject(Log))": "GET /",
  "Get(c, log = mvc.Inject(Log))": "GET /",
  // acronyms
  "GetURL()": "GET /url",
  "GetHTTPServer()": "GET /http/server",
  "GetUserID()": "GET /user/id",
  "GetUserIDs()": "GET /user/ids",
  "GetIDsBy(list)": "GET /ids/{list:string}",
  "GetJSONBy(name)": "GET /json/{name:string}",
  "GetUserIDBy(id = 0)": "GET /user/id/{id:int}",
  "GetLocationX()": "GET /location/x",
  "GetLocationXY()": "GET /location/xy",
  "GetLocationZBy(z = 0)": "GET /location/z/{z:int}",
  "GetASection()": "GET /a/section",
  "GetIsXML()": "GET /is/xml",
  // digits, underscores, other scripts
  "GetV1Users()": "GET /v1/users",
  "GetUser2By(id = 0)": "GET /user2/{id:int}",
  "GetHTTP2Server()": "GET /http2/server",
  "GetMP3By(id = 0)": "GET /mp3/{id:int}",
  "GetUser_Name()": "GET /user_/name",
  "GetUser_name()": "GET /user_name",
  "GetÜberUns()": "GET /über/uns",
  "GetBy2(id = 0)": 'Cannot route "C.GetBy2": argument 1 "id" with default value "0" receives nothing: ' +
    'the name has no "By" for it and it is not the Context',
  // By
  "DeleteBy(name)": "DELETE /{name:string}",
  "GetBy(id = 0)": "GET /{id:int}",
  "GetBy(ok = false)": "GET /{ok:bool}",
  'GetBy(name = "")': "GET /{name:string}",
  "GetBy(e=!1)": "GET /{e:bool}",
  "GetBy(e=BigInt(0))": "GET /{e:long}",
  "GetBy(name, id = 0, ok = false)": "GET /{name:string}/{id:int}/{ok:bool}",
  "GetBy(ctx, name)": "GET /{name:string}",
  "GetSomethingByBy(name, id = 0)": "GET /something/{name:string}/{id:int}",
  "GetSomethingByElseThisBy(ok = true, id = 0)": "GET /something/{ok:bool}/else/this/{id:int}",
  "GetUserByFollowers(id = 0n)": "GET /user/{id:long}/followers",
  "GetUserByFollowersBy(id = 0n, other = 0n)": "GET /user/{id:long}/followers/{other:long}",
  "GetUserByFollowersBy(ctx, id = 0n, other = 0n)": "GET /user/{id:long}/followers/{other:long}",
  "GetUserByFollowersBy(id = 0n, other = 0n, page = 0)": "GET /user/{id:long}/followers/{other:long}/{page:int}",
  "GetRangeByValues(from = 0, to = 9)": "GET /range/{from:int}/{to:int}/values",
  "PatchUserByAvatar(id = 0n)": "PATCH /user/{id:long}/avatar",
  "AnyPingBy(name)": "* /ping/{name:string}",
  "GetByID(id = 0n)": "GET /{id:long}/id",
  "PostBy(id = 0n, log = mvc.Inject(Log))": "POST /{id:long}",
  "GetBy(log = mvc.Inject(Log), id = 0)": "GET /{id:int}",
  "GetBy(id = 0, log = mvc.Inject(Log), name)": "GET /{id:int}/{name:string}",
  "GetBy($id)": "GET /{id:string}",
  "GetBy($id, $, $_)": "GET /{id:string}/{param:string}/{_:string}",
  // wildcards
  "GetByWildcard(path)": "GET /{path:path}",
  'GetByWildcard(path = "")': "GET /{path:path}",
  "GetAnythingByWildcard(path)": "GET /anything/{path:path}",
  "GetByWildcard(ctx, path)": "GET /{path:path}",
  "GetUserByFilesByWildcard(id = 0n, path)": "GET /user/{id:long}/files/{path:path}",
  // Not routes
  "Getter()": undefined,
  "Postman()": undefined,
  "Headers()": undefined,
  "Allow()": undefined,
  "Anything()": undefined,
  "Connected()": undefined,
  "Tracer()": undefined,
  "Get2()": undefined,
  "Get_User()": undefined,
  "Option()": undefined,
  "HandleIndex()": undefined,
  "BeginRequest(ctx)": undefined,
  "get()": undefined,
  "getUser()": undefined,
  "GETUser()": undefined,
  "constructor()": undefined,
  // Methods that look like routes but are not valid
  "GetBy()": `Cannot route "C.GetBy": "By" ${NOTHING}`,
  "GetBy(ctx)": `Cannot route "C.GetBy": "By" ${NOTHING}`,
  "GetTotalByYear()": `Cannot route "C.GetTotalByYear": "By" ${NOTHING}`,
  "GetByBy(id = 0)": `Cannot route "C.GetByBy": the 2. "By" ${NOTHING}`,
  "GetOrderByItemsBy(id = 0n)": `Cannot route "C.GetOrderByItemsBy": the 2. "By" ${NOTHING}`,
  // A default value that a minifier may replace with a literal
  "GetBy(id = DEFAULT)": `Cannot route "C.GetBy": argument 1 "id" with default value "DEFAULT" ${NEITHER}`,
  "Get(size = sizes.small)": `Cannot route "C.Get": argument 1 "size" with default value "sizes.small" ${NEITHER}`,
  "GetBy(id = 60 * 60)": `Cannot route "C.GetBy": argument 1 "id" with default value "60 * 60" ${NEITHER}`,
  "GetBy(id = 0, log = new Log())":
    `Cannot route "C.GetBy": argument 2 "log" with default value "new Log()" ${NEITHER}`,
  "GetBy(id = undefined)": `Cannot route "C.GetBy": argument 1 "id" with default value "undefined" ${NEITHER}`,
  // Arguments that could be the context or a path parameter
  "GetBy(c)": `Cannot route "C.GetBy": argument 1 "c" ${MEANT}, as in c = ""`,
  "GetBy(context, id = 0)": `Cannot route "C.GetBy": argument 1 "context" ${MEANT}, as in context = ""`,
  "GetBy(_req, id = 0)": `Cannot route "C.GetBy": argument 1 "_req" ${MEANT}, as in _req = ""`,
  'GetBy(c = "")': "GET /{c:string}",
  "GetBy(id = 0, c)": "GET /{id:int}/{c:string}",
  "GetBy(id = 0, ctx)": 'Cannot route "C.GetBy": argument 2 "ctx" is not the first: the Context comes first',
  "GetBy(t, e = 0)": `Cannot route "C.GetBy": argument 1 "t" ${SHORTENED}`,
  "GetBy(t, e)": `Cannot route "C.GetBy": argument 1 "t" ${SHORTENED}`,
  "GetBy(t, e = 0, n = u(r))": `Cannot route "C.GetBy": argument 1 "t" ${SHORTENED}`,
  "GetBy(t)": "GET /{t:string}",
  "GetByBy(t, e)": "GET /{t:string}/{e:string}",
  "GetBy(t='',e=0)": "GET /{t:string}/{e:int}",
  "GetBy(id, page = 0)": "GET /{id:string}/{page:int}",
  "Get(t, e = u(r))": "GET /",
  "GetByWildcard()": `Cannot route "C.GetByWildcard": "By" ${NOTHING}`,
  "GetFilesByWildcardRaw(path)":
    'Cannot route "C.GetFilesByWildcardRaw": nothing can follow "ByWildcard", which matches the rest of the path',
  "GetByWildcard(path = 0)":
    'Cannot route "C.GetByWildcard": argument 1 "path" with default value "0" is not a string, as "ByWildcard" needs',
  "GetByWildcard(path, b)": 'Cannot route "C.GetByWildcard": argument 2 "b" receives nothing: no "By" is left for it',
  "Get(ctx, id)": 'Cannot route "C.Get": argument 2 "id" receives nothing: ' +
    'the name has no "By" for it and it is not the Context',
  "Get(a, b)": 'Cannot route "C.Get": argument 1 "a" receives nothing: ' +
    'the name has no "By" for it and it is not the Context',
  "Get(c, page = 1)": 'Cannot route "C.Get": argument 2 "page" with default value "1" receives nothing: ' +
    'the name has no "By" for it and it is not the Context',
  "GetBy(...ids)": 'Cannot route "C.GetBy": argument 1 "ids" is a rest parameter, as in a decorator\'s wrapper, ' +
    "which hides the signature; declare it with mvc.Signature(wrapper, original)",
  "GetBy({ id })": 'Cannot route "C.GetBy": argument 1 has no name for the path',
  "GetBy(ratio = 0.5)": 'Cannot route "C.GetBy": argument 1 "ratio" with default value "0.5" has a fraction, ' +
    'but path parameters of type "int" are integers',
};

Deno.test("parseMethodName() and routeByName() convert method names to routes", async (t) => {
  for (const [method, expected] of Object.entries(routes)) {
    await t.step(method, () => assertEquals(routeOf(method), expected));
  }
});

Deno.test("parseMethodName() returns every HTTP method for All and Any", () => {
  assertEquals(parseMethodName("AllThings")?.methods, parseMethodName("Any")?.methods);
  assertEquals(parseMethodName("Any")?.methods, [
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "HEAD",
    "PATCH",
    "OPTIONS",
    "TRACE",
  ]);
});

Deno.test("routeByName() rejects a name that is not valid in a path", () => {
  const parsed = parseMethodName("GetA/{b}");
  assertEquals(parsed?.parts, [{ kind: "word", text: "a/{b}" }]);
  assertEquals(
    messageOf(() => routeByName(new RoutedMethod("C.GetA/{b}", []), parsed ?? { methods: [], parts: [] })),
    'Cannot route "C.GetA/{b}": a path word cannot contain "/"',
  );
});

Deno.test("splitWords() returns no words for an empty or lowercase name", () => {
  assertEquals(splitWords(""), []);
  assertEquals(splitWords("findAll"), ["find", "All"]);
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was thrown";
}
