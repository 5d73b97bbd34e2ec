/**
 * An application with the accounts of `init --accounts`, and the clients that attack it.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import * as mail from "@fw/web/mail";
import { HashPassword } from "@fw/web/middleware/auth";
import { type Site, useAccounts } from "../../tools/init/accounts/mod.ts";
import { cost } from "../../tools/init/accounts/store.ts";
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

let address = 0;

/** Makes hashes fast, which would take most of the time of the attacks, or as slow as in production. */
export function setCost(speed: "fast" | "slow"): void {
  Object.assign(cost, speed === "fast" ? { Memory: 16, Iterations: 1 } : { Memory: 19_456, Iterations: 2 });
}

/** An application for one attack. */
export class Ground {
  readonly app: fw.Application = fw.New();
  readonly transport: mail.Memory = mail.NewMemory();
  readonly site: Site;

  /**
   * Creates the application.
   *
   * @param prepare Prepares the application before it has any routes.
   */
  constructor(Folder = "", Secret: string = keys.Generate(), prepare?: (app: fw.Application) => void) {
    this.app.Logger().SetLevel("disable");
    prepare?.(this.app);
    this.site = useAccounts(this.app, { Folder, Secret, URL: home, From: "a@example.org", Transport: this.transport });
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
    return this.site.accounts.add(mail, await HashPassword(password, cost)) ?? 0;
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
