/**
 * The contract for all routers. It is run on the tree and on the reference implementation.
 *
 * @module
 */

/** A behavior: a table of routes and the expected results of requests. */
export interface Behavior {
  /** The behavior, as the end of a sentence that begins with the symbol. */
  readonly says: string;
  /** The routes, each a template or a method and a template. */
  readonly routes: readonly string[];
  /**
   * By path, or method and path: the route, followed by the parameters as `name=value`, or `404` if no route matches.
   */
  readonly finds?: Readonly<Record<string, string>>;
  /** By path: the methods that have a route. */
  readonly allows?: Readonly<Record<string, string>>;
  /** By path: the status of a rejected request. */
  readonly refuses?: Readonly<Record<string, number>>;
  /** By route: the route that it replaces. */
  readonly replaces?: Readonly<Record<string, string>>;
}

const uuid = "123e4567-e89b-12d3-a456-426614174000";

/** All behaviors. */
export const behaviors: readonly Behavior[] = [
  // Static paths
  { says: "finds the root", routes: ["/"], finds: { "/": "/", "/a": "404", "//": "404" } },
  { says: "finds nothing in an empty table", routes: [], finds: { "/": "404", "/a": "404" } },
  { says: "finds a static path", routes: ["/a"], finds: { "/a": "/a", "/": "404", "/b": "404" } },
  {
    says: "compares a static path to its end",
    routes: ["/abc"],
    finds: { "/ab": "404", "/abcd": "404", "/abc": "/abc" },
  },
  { says: "compares letters with their case", routes: ["/About"], finds: { "/About": "/About", "/about": "404" } },
  {
    says: "distinguishes paths with a common prefix",
    routes: ["/user", "/users", "/use", "/users/all", "/u"],
    finds: {
      "/u": "/u",
      "/us": "404",
      "/use": "/use",
      "/user": "/user",
      "/users": "/users",
      "/users/all": "/users/all",
    },
  },
  {
    says: "grows by the beginning of a known path",
    routes: ["/abcdef", "/abc", "/a"],
    finds: { "/a": "/a", "/ab": "404", "/abc": "/abc", "/abcd": "404", "/abcdef": "/abcdef" },
  },
  {
    says: "grows by a path that leaves a known one",
    routes: ["/team/list", "/team/last", "/tea"],
    finds: { "/team/list": "/team/list", "/team/last": "/team/last", "/tea": "/tea", "/team": "404", "/team/l": "404" },
  },
  {
    // The path is part of a URL and is followed by "?a=/b#c".
    says: "does not read on behind the path",
    routes: ["/x%3Fa=", "/y/{p:path suffix(c)}"],
    finds: { "/x": "404", "/x?a=": "/x%3Fa=", "/x?": "404", "/y/b": "404" },
  },
  {
    says: "knows where segments end",
    routes: ["/a/b", "/ab"],
    finds: { "/a/b": "/a/b", "/ab": "/ab", "/a": "404", "/a/": "404", "/a//b": "404" },
  },
  { says: "takes a final slash as another path", routes: ["/a"], finds: { "/a/": "404", "/a//": "404" } },
  { says: "reads a template's repeated slashes as one", routes: ["//a///b/"], finds: { "/a/b": "//a///b/" } },
  {
    says: "finds a deep path",
    routes: ["/a/b/c/d/e/f/g/h"],
    finds: { "/a/b/c/d/e/f/g/h": "/a/b/c/d/e/f/g/h", "/a/b/c": "404" },
  },
  {
    says: "finds letters beyond ASCII",
    routes: ["/café", "/cafe"],
    finds: { "/café": "/café", "/cafe": "/cafe", "/caf": "404" },
  },
  {
    says: "finds letters of other planes",
    routes: ["/😀", "/😁"],
    finds: { "/😀": "/😀", "/😁": "/😁", "/😂": "404" },
  },
  {
    says: "finds characters from different Unicode ranges",
    routes: ["/a", "/ж", "/中"],
    finds: { "/a": "/a", "/ж": "/ж", "/中": "/中", "/б": "404" },
  },
  { says: "finds an escaped template by its decoded path", routes: ["/caf%C3%A9"], finds: { "/café": "/caf%C3%A9" } },
  { says: "takes a template's escaped slash as no border", routes: ["/a%2Fb"], finds: { "/a/b": "404" } },
  {
    says: "finds signs that mean nothing here",
    routes: ["/:id/*/(x)"],
    finds: { "/:id/*/(x)": "/:id/*/(x)", "/7/a/x": "404" },
  },
  { says: "finds a blank", routes: ["/a b"], finds: { "/a b": "/a b", "/ab": "404" } },

  // One parameter
  {
    says: "takes any segment for a string",
    routes: ["/{x}"],
    finds: { "/a": "/{x} x=a", "/ä b.c": "/{x} x=ä b.c", "/": "404" },
  },
  {
    says: "takes exactly one segment for a string",
    routes: ["/{x}"],
    finds: { "/a/b": "404", "/a/": "404", "//": "404" },
  },
  { says: "takes no empty segment", routes: ["/a/{x}"], finds: { "/a": "404", "/a/": "404", "/a/b": "/a/{x} x=b" } },
  {
    says: "continues after a parameter",
    routes: ["/{x}/b"],
    finds: { "/a/b": "/{x}/b x=a", "/a": "404", "/a/c": "404", "/b": "404" },
  },
  {
    says: "takes two parameters",
    routes: ["/{x}/{y}"],
    finds: { "/1/2": "/{x}/{y} x=1 y=2", "/1": "404", "/1/2/3": "404" },
  },
  {
    says: "takes parameters between static parts",
    routes: ["/u/{id}/posts/{post}/c"],
    finds: { "/u/1/posts/2/c": "/u/{id}/posts/{post}/c id=1 post=2", "/u/1/posts/2": "404" },
  },
  {
    says: "takes five parameters",
    routes: ["/{a}/{b}/{c}/{d}/{e}"],
    finds: { "/1/2/3/4/5": "/{a}/{b}/{c}/{d}/{e} a=1 b=2 c=3 d=4 e=5" },
  },
  { says: "treats {x:string} as {x}", routes: ["/{x:string}"], finds: { "/a": "/{x:string} x=a" } },
  { says: "takes dots and dashes into a string", routes: ["/{x}"], finds: { "/a-b_c.d~e": "/{x} x=a-b_c.d~e" } },

  // Static before parameters
  {
    says: "prefers static to a parameter",
    routes: ["/{x}", "/me"],
    finds: { "/me": "/me", "/you": "/{x} x=you", "/m": "/{x} x=m" },
  },
  { says: "prefers static to a type", routes: ["/{x:int}", "/7"], finds: { "/7": "/7", "/8": "/{x:int} x=8" } },
  {
    says: "prefers the earlier static segment",
    routes: ["/{x}/b", "/a/{y}"],
    finds: { "/a/b": "/a/{y} y=b", "/c/b": "/{x}/b x=c", "/a/c": "/a/{y} y=c" },
  },
  {
    says: "uses a parameter if a static segment only has a common prefix",
    routes: ["/users/{id}", "/users/new", "/users/newest"],
    finds: { "/users/ne": "/users/{id} id=ne", "/users/newer": "/users/{id} id=newer", "/users/new": "/users/new" },
  },
  {
    says: "backs out of a static segment that leads nowhere",
    routes: ["/users/me", "/users/{id}/posts"],
    finds: { "/users/me/posts": "/users/{id}/posts id=me", "/users/me": "/users/me", "/users/1": "404" },
  },
  {
    says: "backs out over two segments",
    routes: ["/a/b/c", "/{x}/b/d"],
    finds: { "/a/b/d": "/{x}/b/d x=a", "/a/b/c": "/a/b/c", "/a/b/e": "404" },
  },
  {
    says: "backs out over three segments with other parameters",
    routes: ["/a/{p}/c/d", "/{x}/{y}/{z}/e"],
    finds: { "/a/b/c/e": "/{x}/{y}/{z}/e x=a y=b z=c", "/a/b/c/d": "/a/{p}/c/d p=b" },
  },
  {
    says: "leaves no value of a way it backed out of",
    routes: ["/{a:int}/{b:int}/x", "/{a:int}/{b}/y", "/{s}/z/{r:path}"],
    finds: { "/1/2/y": "/{a:int}/{b}/y a=1 b=2", "/1/z/q": "/{s}/z/{r:path} s=1 r=q" },
  },
  {
    says: "backs out to the path of an upper level",
    routes: ["/{r:path}", "/a/{x:int}/c", "/a/b"],
    finds: { "/a/b/c": "/{r:path} r=a/b/c", "/a/1/c": "/a/{x:int}/c x=1", "/a/1": "/{r:path} r=a/1" },
  },

  // Types
  {
    says: "takes whole numbers for int",
    routes: ["/{n:int}"],
    finds: { "/0": "/{n:int} n=0", "/-7": "/{n:int} n=-7", "/+7": "/{n:int} n=+7", "/007": "/{n:int} n=007" },
  },
  {
    says: "rejects values that are not integers",
    routes: ["/{n:int}"],
    finds: { "/a": "404", "/1.5": "404", "/-": "404", "/1e3": "404", "/１": "404" },
  },
  {
    says: "knows the borders of int",
    routes: ["/{n:int}"],
    finds: { "/9007199254740991": "/{n:int} n=9007199254740991", "/9007199254740992": "404" },
  },
  {
    says: "knows the borders of int8",
    routes: ["/{n:int8}"],
    finds: { "/127": "/{n:int8} n=127", "/128": "404", "/-128": "/{n:int8} n=-128", "/-129": "404" },
  },
  {
    says: "knows the borders of int16",
    routes: ["/{n:int16}"],
    finds: { "/32767": "/{n:int16} n=32767", "/32768": "404", "/-32769": "404" },
  },
  {
    says: "knows the borders of int32",
    routes: ["/{n:int32}"],
    finds: { "/2147483647": "/{n:int32} n=2147483647", "/2147483648": "404" },
  },
  {
    says: "knows the borders of int64",
    routes: ["/{n:int64}"],
    finds: { "/9223372036854775807": "/{n:int64} n=9223372036854775807", "/9223372036854775808": "404" },
  },
  {
    says: "takes long for int64",
    routes: ["/{n:long}"],
    finds: { "/-9223372036854775808": "/{n:long} n=-9223372036854775808" },
  },
  { says: "takes number for int", routes: ["/{n:number}"], finds: { "/5": "/{n:number} n=5", "/x": "404" } },
  {
    says: "rejects signs for uint",
    routes: ["/{n:uint}"],
    finds: { "/0": "/{n:uint} n=0", "/-0": "404", "/+1": "404" },
  },
  {
    says: "knows the borders of uint8",
    routes: ["/{n:uint8}"],
    finds: { "/255": "/{n:uint8} n=255", "/256": "404", "/-1": "404" },
  },
  {
    says: "knows the borders of uint16",
    routes: ["/{n:uint16}"],
    finds: { "/65535": "/{n:uint16} n=65535", "/65536": "404" },
  },
  {
    says: "knows the borders of uint32",
    routes: ["/{n:uint32}"],
    finds: { "/4294967295": "/{n:uint32} n=4294967295", "/4294967296": "404" },
  },
  {
    says: "knows the borders of uint64",
    routes: ["/{n:uint64}"],
    finds: { "/18446744073709551615": "/{n:uint64} n=18446744073709551615", "/18446744073709551616": "404" },
  },
  {
    says: "takes Go's truth values for bool",
    routes: ["/{b:bool}"],
    finds: { "/true": "/{b:bool} b=true", "/F": "/{b:bool} b=F", "/yes": "404", "/tRUE": "404" },
  },
  {
    says: "takes letters and blanks for alphabetical",
    routes: ["/{w:alphabetical}"],
    finds: { "/a Z": "/{w:alphabetical} w=a Z", "/a1": "404", "/é": "404" },
  },
  {
    says: "accepts file names for file",
    routes: ["/{f:file}"],
    finds: { "/a-b_c.txt": "/{f:file} f=a-b_c.txt", "/a b": "404", "/..": "404", "/.": "404" },
  },
  {
    says: "takes an identifier for uuid",
    routes: ["/{u:uuid}"],
    finds: { [`/${uuid}`]: `/{u:uuid} u=${uuid}`, "/123e4567": "404" },
  },
  {
    says: "takes an address for mail",
    routes: ["/{m:mail}"],
    finds: { "/a@b.c": "/{m:mail} m=a@b.c", "/a@": "404", "/a": "404" },
  },
  {
    says: "takes a day for date",
    routes: ["/{d:date}"],
    finds: { "/2024-02-29": "/{d:date} d=2024-02-29", "/2023-02-29": "404" },
  },
  {
    says: "takes a name or a number for weekday",
    routes: ["/{d:weekday}"],
    finds: { "/Monday": "/{d:weekday} d=Monday", "/6": "/{d:weekday} d=6", "/7": "404" },
  },
  { says: "rejects a type in the middle", routes: ["/{n:int}/x"], finds: { "/a/x": "404", "/1/x": "/{n:int}/x n=1" } },

  // Overlap of types
  {
    says: "tries a number before a string",
    routes: ["/{s}", "/{n:int}"],
    finds: { "/1": "/{n:int} n=1", "/one": "/{s} s=one" },
  },
  {
    says: "tries narrow numbers before wide ones",
    routes: ["/{a:int64}", "/{a:uint8}", "/{a:int}", "/{a:int8}"],
    finds: {
      "/100": "/{a:int8} a=100",
      "/200": "/{a:uint8} a=200",
      "/300": "/{a:int} a=300",
      "/9007199254740993": "/{a:int64} a=9007199254740993",
    },
  },
  {
    says: "tries a number before a truth value",
    routes: ["/{b:bool}", "/{n:int}"],
    finds: { "/1": "/{n:int} n=1", "/true": "/{b:bool} b=true" },
  },
  {
    says: "tries letters before files before strings",
    routes: ["/{s}", "/{f:file}", "/{w:alphabetical}"],
    finds: { "/abc": "/{w:alphabetical} w=abc", "/abc1": "/{f:file} f=abc1", "/a:b": "/{s} s=a:b" },
  },
  {
    says: "tries identifiers and days before files",
    routes: ["/{f:file}", "/{u:uuid}", "/{d:date}"],
    finds: {
      [`/${uuid}`]: `/{u:uuid} u=${uuid}`,
      "/2024-01-31": "/{d:date} d=2024-01-31",
      "/2024-01-32": "/{f:file} f=2024-01-32",
    },
  },
  {
    says: "keeps a separate branch for each type",
    routes: ["/{n:int}/a", "/{s}/b"],
    finds: { "/1/a": "/{n:int}/a n=1", "/1/b": "/{s}/b s=1", "/x/a": "404" },
  },
  {
    says: "keeps the parameter names of each route",
    routes: ["/{id:int}/a", "/{num:int}/b"],
    finds: { "/1/a": "/{id:int}/a id=1", "/1/b": "/{num:int}/b num=1" },
  },
  {
    says: "prefers the narrower first segment to the narrower second",
    routes: ["/{a}/{b:int}", "/{a:int}/{b}"],
    finds: { "/1/2": "/{a:int}/{b} a=1 b=2", "/x/2": "/{a}/{b:int} a=x b=2", "/x/y": "404" },
  },

  // Functions
  { says: "obeys min", routes: ["/{n:int min(5)}"], finds: { "/5": "/{n:int min(5)} n=5", "/4": "404" } },
  { says: "obeys max", routes: ["/{n:int max(5)}"], finds: { "/5": "/{n:int max(5)} n=5", "/6": "404" } },
  {
    says: "obeys range",
    routes: ["/{n:int range(-1,5)}"],
    finds: { "/-1": "/{n:int range(-1,5)} n=-1", "/-2": "404", "/6": "404" },
  },
  {
    says: "obeys lengths of strings",
    routes: ["/{s min(2) max(3)}"],
    finds: { "/a": "404", "/ab": "/{s min(2) max(3)} s=ab", "/abcd": "404", "/😀😀😀": "/{s min(2) max(3)} s=😀😀😀" },
  },
  { says: "obeys prefix", routes: ["/{s prefix(v)}"], finds: { "/v1": "/{s prefix(v)} s=v1", "/1v": "404" } },
  {
    says: "obeys suffix",
    routes: ["/{s suffix(.html)}"],
    finds: { "/a.html": "/{s suffix(.html)} s=a.html", "/a.htm": "404" },
  },
  { says: "obeys contains", routes: ["/{s contains(-)}"], finds: { "/a-b": "/{s contains(-)} s=a-b", "/ab": "404" } },
  { says: "obeys eq", routes: ["/{s eq(a)}"], finds: { "/a": "/{s eq(a)} s=a", "/A": "404" } },
  {
    says: "obeys eqor",
    routes: ["/{s eqor([a,b])}"],
    finds: { "/a": "/{s eqor([a,b])} s=a", "/b": "/{s eqor([a,b])} s=b", "/c": "404" },
  },
  {
    says: "obeys regexp for the whole value",
    routes: ["/{s regexp([0-9]{2})}"],
    finds: { "/12": "/{s regexp([0-9]{2})} s=12", "/123": "404", "/a12": "404" },
  },
  {
    says: "obeys all of several functions",
    routes: ["/{s prefix(a) suffix(z)}"],
    finds: { "/abz": "/{s prefix(a) suffix(z)} s=abz", "/ab": "404", "/bz": "404" },
  },
  {
    says: "tries a parameter with functions before the same without",
    routes: ["/{n:int}", "/{n:int min(10)}", "/{s}", "/{s suffix(.css)}"],
    finds: {
      "/10": "/{n:int min(10)} n=10",
      "/9": "/{n:int} n=9",
      "/a.css": "/{s suffix(.css)} s=a.css",
      "/a": "/{s} s=a",
    },
  },
  {
    says: "distinguishes the functions of a type",
    routes: ["/{f suffix(.html)}", "/{f suffix(.zip)}"],
    finds: { "/a.html": "/{f suffix(.html)} f=a.html", "/a.zip": "/{f suffix(.zip)} f=a.zip", "/a": "404" },
  },
  {
    says: "tries the narrower of two bounds",
    routes: ["/{n:int max(100)}", "/{n:int max(10)}"],
    finds: { "/5": "/{n:int max(10)} n=5", "/50": "/{n:int max(100)} n=50", "/500": "404" },
  },

  // Catch-all parameters
  {
    says: "takes the rest of a path",
    routes: ["/f/{p:path}"],
    finds: { "/f/a": "/f/{p:path} p=a", "/f/a/b.c": "/f/{p:path} p=a/b.c", "/f": "404", "/f/": "404" },
  },
  {
    says: "keeps inner and final slashes of a rest",
    routes: ["/f/{p:path}"],
    finds: { "/f/a/": "/f/{p:path} p=a/", "/f/a//b": "/f/{p:path} p=a//b", "/f/a/b/": "/f/{p:path} p=a/b/" },
  },
  {
    // If a value began with a slash, code that joins it to a path would get an absolute path or another site.
    says: "takes no rest that begins with a slash",
    routes: ["/{p:path}", "/f/{p:path}"],
    finds: { "//a": "404", "//": "404", "/f//a": "/{p:path} p=f//a" },
  },
  {
    says: "takes the whole path as a rest",
    routes: ["/{p:path}"],
    finds: { "/a/b/c": "/{p:path} p=a/b/c", "/": "404" },
  },
  {
    says: "takes a rest last",
    routes: ["/f/{p:path}", "/f/{s}", "/f/{n:int}", "/f/x"],
    finds: { "/f/x": "/f/x", "/f/1": "/f/{n:int} n=1", "/f/y": "/f/{s} s=y", "/f/y/z": "/f/{p:path} p=y/z" },
  },
  {
    says: "prefers the deeper rest",
    routes: ["/{p:path}", "/a/{p:path}", "/a/b/{p:path}"],
    finds: {
      "/a/b/c": "/a/b/{p:path} p=c",
      "/a/b": "/a/{p:path} p=b",
      "/a": "/{p:path} p=a",
      "/b/c": "/{p:path} p=b/c",
    },
  },
  {
    says: "takes a parameter before a rest",
    routes: ["/{u}/{p:path}"],
    finds: { "/ada/x/y": "/{u}/{p:path} u=ada p=x/y", "/ada": "404" },
  },
  {
    says: "obeys functions of a rest",
    routes: ["/{p:path suffix(.js)}", "/{p:path}"],
    finds: { "/a/b.js": "/{p:path suffix(.js)} p=a/b.js", "/a/b.css": "/{p:path} p=a/b.css" },
  },
  {
    says: "backs out of a parameter into a rest",
    routes: ["/a/{x}/c", "/a/{p:path}"],
    finds: { "/a/b/d": "/a/{p:path} p=b/d", "/a/b/c": "/a/{x}/c x=b", "/a/b": "/a/{p:path} p=b" },
  },

  // Methods
  {
    says: "separates methods",
    routes: ["GET /a", "POST /b"],
    finds: { "GET /a": "GET /a", "POST /a": "404", "GET /b": "404", "POST /b": "POST /b", "PURGE /a": "404" },
  },
  {
    says: "keeps one path under two methods",
    routes: ["GET /a", "POST /a"],
    finds: { "GET /a": "GET /a", "POST /a": "POST /a" },
  },
  {
    says: "has a separate order for each method",
    routes: ["GET /{x}", "POST /me"],
    finds: { "GET /me": "GET /{x} x=me", "POST /me": "POST /me" },
  },
  { says: "leaves HEAD and OPTIONS to others", routes: ["GET /a"], finds: { "HEAD /a": "404", "OPTIONS /a": "404" } },
  {
    says: "lists the methods of a path",
    routes: ["GET /a", "POST /a", "PUT /{x}", "DELETE /b"],
    allows: { "/a": "GET POST PUT", "/b": "DELETE PUT", "/c": "PUT", "/": "", "/a/b": "" },
  },
  { says: "lists methods by type", routes: ["GET /{n:int}", "POST /{s}"], allows: { "/1": "GET POST", "/x": "POST" } },
  {
    says: "lists the methods of a rest",
    routes: ["GET /{p:path}", "PUT /a/b"],
    allows: { "/a/b": "GET PUT", "/a": "GET" },
  },

  // Rejections
  { says: "rejects with 404 unless told", routes: ["/{n:int}"], refuses: { "/x": 404, "/a/b": 404 } },
  {
    says: "rejects with the else code of a type",
    routes: ["/{n:int else 400}"],
    refuses: { "/x": 400, "/a/b": 404, "/": 404 },
  },
  { says: "rejects with the else code of a function", routes: ["/{n:int min(5) else 422}"], refuses: { "/4": 422 } },
  {
    says: "rejects with the code only where the rest fits",
    routes: ["/u/{n:int else 400}/p"],
    refuses: { "/u/x/p": 400, "/u/x/q": 404, "/v/x/p": 404 },
  },
  {
    says: "rejects with the first of two codes",
    routes: ["/{a:int else 400}/{b:int else 422}"],
    refuses: { "/x/y": 400, "/1/y": 422, "/x/1": 400 },
  },
  {
    says: "rejects with 404 where a parameter without a code rejects too",
    routes: ["/{a:int else 400}/{b:int}"],
    refuses: { "/x/y": 404, "/x/1": 400 },
  },
  {
    says: "rejects with the code of the more specific template",
    routes: ["/{a:bool else 410}", "/{a:int else 400}"],
    refuses: { "/x": 400 },
  },
  {
    says: "rejects with the code of a rest",
    routes: ["/f/{p:path suffix(.js) else 415}"],
    refuses: { "/f/a/b": 415, "/f": 404 },
  },
  {
    says: "rejects with the code of its own method",
    routes: ["GET /{n:int else 400}", "POST /{n:int else 422}"],
    refuses: { "GET /x": 400, "POST /x": 422, "PUT /x": 404 },
  },
  {
    says: "goes to the next candidate before it rejects",
    routes: ["/{n:int else 400}", "/{s}"],
    finds: { "/x": "/{s} s=x", "/1": "/{n:int else 400} n=1" },
  },

  // Replacement
  {
    says: "replaces a route of the same template",
    routes: ["GET /a", "GET /a/"],
    finds: { "GET /a": "GET /a/" },
    replaces: { "GET /a/": "GET /a" },
  },
  {
    says: "replaces a route with other parameter names",
    routes: ["/{a:int}", "/{b:int}"],
    finds: { "/1": "/{b:int} b=1" },
    replaces: { "/{b:int}": "/{a:int}" },
  },
  {
    says: "replaces a route of an alias",
    routes: ["/{a:long}", "/{a:int64}"],
    finds: { "/1": "/{a:int64} a=1" },
    replaces: { "/{a:int64}": "/{a:long}" },
  },
  {
    says: "replaces a route of the same functions in another order",
    routes: ["/{a prefix(x) suffix(y)}", "/{a suffix(y) prefix(x)}"],
    replaces: { "/{a suffix(y) prefix(x)}": "/{a prefix(x) suffix(y)}" },
  },
  {
    says: "replaces a route of another code",
    routes: ["/{a:int else 400}", "/{a:int}"],
    finds: { "/1": "/{a:int} a=1" },
    refuses: { "/x": 404 },
    replaces: { "/{a:int}": "/{a:int else 400}" },
  },
  {
    says: "replaces a rest",
    routes: ["/f/{a:path}", "/f/{b:path}"],
    finds: { "/f/x": "/f/{b:path} b=x" },
    replaces: { "/f/{b:path}": "/f/{a:path}" },
  },
  { says: "replaces nothing of another method", routes: ["GET /a", "POST /a"], replaces: { "POST /a": "none" } },
  {
    says: "replaces nothing of another type",
    routes: ["/{a:int}", "/{a:int8}", "/{a}"],
    replaces: { "/{a:int8}": "none", "/{a}": "none" },
  },
];
