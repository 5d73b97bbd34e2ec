/**
 * A small OpenID provider that logs everyone in without a prompt and can be made to misbehave.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { SignJWT } from "npm:jose@^6/jwt/sign";
import { exportJWK } from "npm:jose@^6/key/export";
import { generateKeyPair } from "npm:jose@^6/key/generate/keypair";

/** An endpoint of the provider. */
export type Endpoint = "/token" | "/jwks" | "/.well-known/openid-configuration";

/** The ways in which the provider can misbehave. */
export interface Misbehavior {
  /** Claims that replace the correct ones. */
  claims?: Record<string, unknown>;
  /** Signs with a key that is not published. */
  foreignKey?: boolean;
  /** Omits the signature. */
  unsigned?: boolean;
  /** Omits the ID token. */
  noIDToken?: boolean;
  /** Denies the login. */
  denies?: boolean;
  /** Fails at an endpoint. */
  failsAt?: Endpoint;
  /** Stalls at an endpoint, before its headers or after the first bytes of its body. */
  stallsAt?: readonly [at: Endpoint, part: "headers" | "body"];
  /** Responds with an HTML page instead of JSON at an endpoint. */
  talksAt?: Endpoint;
}

/** A running provider. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The current misbehavior. */
  does: Misbehavior;
  /** The number of requests per path. */
  readonly asked: Map<string, number>;
}

interface Grant {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
  readonly nonce: string;
}

/** Starts a provider for one client. */
export async function startProvider(client = { id: "app", secret: "app-secret" }): Promise<TestProvider> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const foreign = await generateKeyPair("ES256");
  const keys = [{ ...await exportJWK(publicKey), kid: "one", alg: "ES256", use: "sig" }];
  const grants = new Map<string, Grant>();
  const asked = new Map<string, number>();

  async function idToken(grant: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: client.id,
      sub: "248289761001",
      name: "Ada Lovelace",
      email: "ada@example.com",
      nonce: grant.nonce,
      iat: now,
      exp: now + 300,
      ...provider.does.claims,
    };
    const key = provider.does.foreignKey ? foreign.privateKey : privateKey;
    const token = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "one" }).sign(key);
    if (!provider.does.unsigned) return token;
    const header = btoa(JSON.stringify({ alg: "none" })).replaceAll("=", "");
    return `${header}.${token.split(".")[1]}.`;
  }

  function authorize(url: URL): Response {
    const query = url.searchParams;
    const redirect = new URL(query.get("redirect_uri") ?? "");
    redirect.searchParams.set("state", query.get("state") ?? "");
    redirect.searchParams.set("iss", provider.issuer);
    if (provider.does.denies) {
      redirect.searchParams.set("error", "access_denied");
      return Response.redirect(redirect);
    }
    const code = crypto.randomUUID();
    grants.set(code, {
      client: query.get("client_id") ?? "",
      redirect: query.get("redirect_uri") ?? "",
      challenge: query.get("code_challenge") ?? "",
      nonce: query.get("nonce") ?? "",
    });
    redirect.searchParams.set("code", code);
    return Response.redirect(redirect);
  }

  async function token(request: Request): Promise<Response> {
    const form = await request.formData();
    const code = String(form.get("code"));
    const grant = grants.get(code);
    grants.delete(code);
    const [, basic = ""] = /^Basic (.*)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    const [id, secret] = basic === ""
      ? [form.get("client_id"), form.get("client_secret")]
      : atob(basic).split(":").map(decodeURIComponent);
    const isClient = id === client.id && secret === client.secret;
    const challenge = createHash("sha256").update(String(form.get("code_verifier"))).digest("base64url");
    if (
      grant === undefined || grant.challenge !== challenge || grant.redirect !== form.get("redirect_uri") || !isClient
    ) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    return Response.json({
      access_token: crypto.randomUUID(),
      token_type: "Bearer",
      expires_in: 300,
      ...!provider.does.noIDToken && { id_token: await idToken(grant) },
    });
  }

  function metadata(): Response {
    const { issuer } = provider;
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/logout`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
    });
  }

  const ended = Promise.withResolvers<void>();
  async function stall(where: "headers" | "body"): Promise<Response> {
    if (where === "headers") await ended.promise;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        await ended.promise;
        controller.close();
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const url = new URL(request.url);
    asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1);
    if (provider.does.failsAt === url.pathname) return new Response("down", { status: 500 });
    if (provider.does.stallsAt?.[0] === url.pathname) return stall(provider.does.stallsAt[1]);
    if (provider.does.talksAt === url.pathname) return new Response("<html>", { status: 200 });
    if (url.pathname === "/.well-known/openid-configuration") return metadata();
    if (url.pathname === "/authorize") return authorize(url);
    if (url.pathname === "/token") return token(request);
    if (url.pathname === "/jwks") return Response.json({ keys });
    return new Response("Not Found", { status: 404 });
  });
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${server.addr.port}`,
    does: {},
    asked,
    [Symbol.asyncDispose]() {
      ended.resolve();
      return server.shutdown();
    },
  };
  return provider;
}
