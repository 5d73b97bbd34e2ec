/**
 * An application with the accounts of `init --accounts`, and the clients that attack it.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import { type HashOptions, HashPassword } from "@fw/web/middleware/auth";
import { type Site, useAccounts } from "../../tools/init/accounts/mod.ts";
import { codeOf } from "./totp.ts";

/** The address of the owner, and the passwords. */
export const ada = "ada@example.org";
export const eve = "eve@example.org";
export const password = "the kettle sings at dawn";
export const newPassword = "a mill with a large store";

/** The public URL of the application. */
export const home = "https://app.example.org";

/** An attack. It fails by throwing if the application does not resist. */
export interface AccountAttack {
  readonly name: string;
  /** Whether requests meet while a password is hashed, which then takes as long as in production. */
  readonly meetsHashes?: true;
  readonly run: (ground: Ground) => Promise<void>;
}

/** The options of {@linkcode Ground}. */
export interface GroundOptions {
  /** The folder of the databases. By default, they are in memory. */
  readonly Folder?: string;
  /** The secret. Defaults to a new one. */
  readonly Secret?: string;
  /** The cost of password hashes. Defaults to a low one, because hashes would take most of the time of the attacks. */
  readonly Hash?: HashOptions;
  /** Prepares the application before it has any routes. */
  readonly prepare?: (app: fw.Application) => void;
}

let address = 0;

/** An application for one attack. */
export class Ground {
  readonly app: fw.Application = fw.New();
  readonly transport: mail.Memory = mail.NewMemory();
  readonly site: Site;
  readonly #cost: HashOptions;

  /** Creates the application. */
  constructor(options: GroundOptions = {}) {
    const { Folder = "", Secret = keys.Generate(), Hash = { Memory: 8, Iterations: 1 } } = options;
    this.app.Logger().SetLevel("disable");
    options.prepare?.(this.app);
    const mails = { From: "a@example.org", Transport: this.transport };
    this.site = useAccounts(this.app, { Folder, Secret, Hash, URL: home, ...mails });
    this.#cost = Hash;
    this.app.Get("/api/me", this.site.apiKeys.Require("api"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
    this.app.Get("/api/admin", this.site.apiKeys.Require("admin"), (ctx) => ctx.WriteString("admin"));
    const { apiKeys, requireFactor } = this.site;
    this.app.Get("/api/secrets", apiKeys.Require("api"), requireFactor, (ctx) => ctx.WriteString("secret"));
    this.app.Get("/secrets", requireFactor, (ctx) => ctx.WriteString("secret"));
  }

  /** Creates a browser. */
  browser(): Browser {
    return new Browser(httptest.New(this.app).WithHeader("sec-fetch-site", "same-origin"), this);
  }

  /** Creates an account. */
  async add(mail: string = ada): Promise<number> {
    return this.site.accounts.add(mail, await HashPassword(password, this.#cost)) ?? 0;
  }

  /** Creates an account, and returns a browser in which its owner has logged in. */
  async member(mail: string = ada): Promise<Browser> {
    await this.add(mail);
    const browser = this.browser();
    await browser.logIn(mail);
    return browser;
  }

  /** Requests a mail, and returns the path of the link in it. */
  async link(path: string, mail: string = ada, browser: Browser = this.browser()): Promise<string> {
    this.transport.Clear();
    await browser.post(path, { mail, "mail-password": password, "factor-password": password });
    return await this.mailed();
  }

  /** Waits for the jobs, and returns the path of the link in the first mail, or an empty string. */
  async mailed(): Promise<string> {
    await this.site.queue.Drain();
    const links = this.transport.Messages.map(({ HTML }) =>
      /href="https:\/\/app\.example\.org([^".]+\.[^"]+)"/.exec(HTML)
    );
    return links.find((link) => link !== null)?.[1] ?? "";
  }
}

/** A browser, whose requests come from many addresses, so that the limit per address does not hide other defects. */
export class Browser {
  readonly client: httptest.Client;
  readonly #ground: Ground;

  constructor(client: httptest.Client, ground: Ground) {
    this.client = client;
    this.#ground = ground;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<httptest.TestResponse> {
    const call = this.client.GET(path);
    for (const [name, value] of Object.entries(headers)) call.WithHeader(name, value);
    return await call.Expect();
  }

  async post(
    path: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<httptest.TestResponse> {
    const call = this.client.POST(path).WithForm(form).WithRemoteAddr(`10.0.${++address >> 8 & 255}.${address & 255}`);
    for (const [name, value] of Object.entries(headers)) call.WithHeader(name, value);
    return await call.Expect();
  }

  async json(path: string, value: unknown): Promise<httptest.TestResponse> {
    const call = this.client.POST(path).WithRemoteAddr(`10.1.${++address >> 8 & 255}.${address & 255}`);
    return await (typeof value === "string"
      ? call.WithHeader("content-type", "application/json").WithBody(value)
      : call.WithJSON(value)).Expect();
  }

  logIn(
    mail: string = ada,
    word: string = password,
    more: Record<string, string> = {},
  ): Promise<httptest.TestResponse> {
    return this.post("/login", { mail, password: word, ...more });
  }

  /** Reports whether the browser is logged in. */
  async isIn(): Promise<boolean> {
    return (await this.get("/account")).Status === 200;
  }

  /** Forgets the wrong passwords that this session has sent to the settings of the first account. */
  forgive(): void {
    this.#ground.site.accounts.forget(`confirm 1 ${this.client.Cookie("__Host-sid")}`);
  }

  /** Turns the second factor on, and returns its secret, its next code and the recovery codes. */
  async addFactor(link?: string): Promise<{ secret: string; next: string; codes: string[] }> {
    const path = link ?? await this.#ground.link("/account/factor", "", this);
    const step = Math.floor(Date.now() / 30_000);
    const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec((await this.get(path)).Text)?.[1] ?? "";
    const done = await this.post(path, { code: codeOf(secret, step) });
    const codes = Array.from(done.Text.matchAll(/<code>([a-z0-9-]+)<\/code>/g), ([, code]) => code ?? "");
    return { secret, next: codeOf(secret, step + 1), codes };
  }
}
