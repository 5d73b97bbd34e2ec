import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as handlebars from "@fw/web/view/handlebars";
import * as nunjucks from "@fw/web/view/nunjucks";
import Handlebars from "npm:handlebars@^4.7";
import Nunjucks from "npm:nunjucks@^3.2";

const page = { Title: "Page <Title>", FooterText: "Footer contents", Message: "Main contents" };

Deno.test("example context-view-data: middleware sets data and the layout, a handler replaces data", async () => {
  const app = fw.New();
  app.RegisterView(
    fw.HTML("").ParseTemplate("layouts/layout.html", "<html><%~ body %></html>")
      .ParseTemplate("index.html", "<h1><%= it.Title %></h1><h3><%= it.BodyMessage %></h3>"),
  );
  app.Use((ctx) => {
    ctx.ViewData("Title", "My Awesome Site");
    ctx.ViewLayout("layouts/layout.html");
    return ctx.Next();
  });
  app.Get("/", (ctx) => {
    ctx.ViewData("BodyMessage", "a sample");
    return ctx.View("index.html");
  });
  app.Get("/about", (ctx) => {
    ctx.ViewData("Title", "My About Page");
    ctx.ViewData("BodyMessage", "about");
    return ctx.View("index.html");
  });
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("<html><h1>My Awesome Site</h1><h3>a sample</h3></html>");
  await test.GET("/about").Expect().Body("<html><h1>My About Page</h1><h3>about</h3></html>");
});

Deno.test("example context-view-engine: an engine of the application, of a party, and of a route", async () => {
  const app = fw.New();
  app.RegisterView(
    fw.HTML("").ParseTemplate("main.html", "public: <%~ body %>").ParseTemplate("index.html", "Index"),
  );
  const admin = app.Party("/admin");
  admin.RegisterView(nunjucks.New(Nunjucks, "").ParseTemplate("index.html", "Hello, {{ Title }}!"));
  const views = handlebars.New(Handlebars, "").ParseTemplate("index.html", "On-fly {{Message}}");
  app.Get("/", (ctx) => {
    ctx.ViewLayout("main");
    return ctx.View("index");
  });
  admin.Get("/", (ctx) => ctx.View("index", { Title: "Admin" }));
  app.Get("/on-fly", (ctx) => {
    ctx.ViewEngine(views);
    return ctx.Next();
  }, (ctx) => ctx.View("index", { Message: "changed" }));
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("public: Index");
  await test.GET("/admin").Expect().Body("Hello, Admin!");
  await test.GET("/on-fly").Expect().Body("On-fly changed");
});

Deno.test("example fallback: another view, another layout, or a function", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.RegisterView(
    fw.HTML("").ParseTemplate("fallback.html", "<h1>Fallback view</h1>").ParseTemplate("page.html", "page")
      .ParseTemplate("layout.html", "[<%~ body %>]"),
  );
  app.Party("/view").FallbackView("fallback.html").Get("/", (ctx) => ctx.View("blabla.html"));
  app.Party("/layout").FallbackView({ Layout: "layout.html" }).Get("/", (ctx) => {
    ctx.ViewLayout("blabla.html");
    return ctx.View("page.html");
  });
  app.Party("/func").FallbackView((ctx, error) => ctx.HTML(`<h3>${error.Name}</h3>`))
    .Get("/", (ctx) => ctx.View("blabla.html"));
  app.Party("/rethrown").FallbackView((_ctx, error) => {
    throw error;
  }).Get("/", (ctx) => ctx.View("blabla.html"));
  const test = httptest.New(app);
  await test.GET("/view").Expect().Body("<h1>Fallback view</h1>");
  await test.GET("/layout").Expect().Body("[page]");
  await test.GET("/func").Expect().Body("<h3>blabla.html</h3>");
  await test.GET("/rethrown").Expect().Status(500);
});

const layouts = {
  html: () =>
    fw.HTML("").ParseTemplate(
      "layouts/main.html",
      '<title><%= it.Title %></title><%~ body %><footer><%~ include("partials/footer.html") %></footer>',
    ).ParseTemplate("index.html", "<h3><%= it.Message %></h3>")
      .ParseTemplate("partials/footer.html", "<h4><%= it.FooterText %></h4>"),
  handlebars: () =>
    handlebars.New(Handlebars, "").ParseTemplate(
      "layouts/main.html",
      '<title>{{Title}}</title>{{ yield . }}<footer>{{ render "partials/footer.html" . }}</footer>',
    ).ParseTemplate("index.html", "<h3>{{Message}}</h3>")
      .ParseTemplate("partials/footer.html", "<h4>{{FooterText}}</h4>"),
  django: () =>
    nunjucks.New(Nunjucks, "").ParseTemplate(
      "layouts/main.html",
      '<title>{{Title}}</title>{% block content %}{% endblock %}<footer>{% include "../partials/footer.html" %}</footer>',
    ).ParseTemplate(
      "index.html",
      '{% extends "layouts/main.html" %}{% block content %}<h3>{{Message}}</h3>{% endblock %}',
    )
      .ParseTemplate("partials/footer.html", "<h4>{{FooterText}}</h4>"),
};

for (const [name, create] of Object.entries(layouts)) {
  Deno.test(`example layout/${name}: a layout, a page and a partial share their data`, async () => {
    const app = fw.New();
    app.RegisterView(create());
    app.Get("/", (ctx) => {
      if (name !== "django") ctx.ViewLayout("layouts/main");
      return ctx.View("index", page);
    });
    await httptest.New(app).GET("/").Expect().Body(
      "<title>Page &lt;Title&gt;</title><h3>Main contents</h3><footer><h4>Footer contents</h4></footer>",
    );
  });
}

const parsed = {
  html: () => fw.HTML("").ParseTemplate("program.html", "<h1><%= greet(it.Name) %></h1>", { greet }),
  handlebars: () => handlebars.New(Handlebars, "").ParseTemplate("program.html", "<h1>{{greet Name}}</h1>", { greet }),
  django: () =>
    nunjucks.New(Nunjucks, "").AddFunc("greet", greet).ParseTemplate("program.html", "<h1>{{greet(Name)}}</h1>"),
};

function greet(name: string): string {
  return `Hello, ${name}!`;
}

for (const [name, create] of Object.entries(parsed)) {
  Deno.test(`example parse-template/${name}: a template from the program, with its own functions`, async () => {
    const app = fw.New();
    app.RegisterView(create().Reload());
    app.Get("/", (ctx) => ctx.View("program.html", { Name: "Gerasimos" }));
    await httptest.New(app).GET("/").Expect().Body("<h1>Hello, Gerasimos!</h1>");
  });
}

Deno.test("example subdomains/http-errors-view: the error page of a subdomain, in its layout, with a partial by status", async () => {
  const app = fw.New();
  const sub = app.Subdomain("test");
  sub.RegisterView(
    fw.HTML("").ParseTemplate("layouts/test.layout.html", "<title>Test Subdomain</title><%~ body %>")
      .ParseTemplate("error.html", "<h1>Oups</h1><%~ include(`partials/${it.ErrorCode}.html`) %>")
      .ParseTemplate("partials/404.html", "<h1>Not Found</h1>").Layout("layouts/test.layout.html"),
  );
  sub.OnErrorCode(404, (ctx) => ctx.View("error.html", { ErrorCode: ctx.GetStatusCode() }));
  sub.Get("/", (ctx) => ctx.WriteString(`${ctx.Subdomain()} index page`));
  const test = httptest.New(app);
  await test.GET("http://test.mydomain.com/").Expect().Body("test index page");
  await test.GET("http://test.mydomain.com/not_found").Expect().Status(404)
    .Header("content-type", "text/html; charset=utf-8")
    .Body("<title>Test Subdomain</title><h1>Oups</h1><h1>Not Found</h1>");
  await test.GET("http://mydomain.com/not_found").Expect().Status(404).Body("Not Found");
});

Deno.test("example template_blocks_0: an error page has another layout than the pages", async () => {
  const app = fw.New();
  app.RegisterView(
    fw.HTML("").ParseTemplate("layouts/main.html", "<title><%= it.Title ?? 'Main' %></title><%~ body %>")
      .ParseTemplate("layouts/error.html", "<title><%= it.Code %></title><%~ body %><p><%= it.Message %></p>")
      .ParseTemplate("index.html", "<h1>Index</h1>").ParseTemplate("500.html", "<h1>Error</h1>"),
  );
  app.Get("/", (ctx) => {
    ctx.ViewLayout("layouts/main");
    return ctx.View("index", { Title: "Page" });
  });
  app.Get("/500", (ctx) => {
    ctx.StatusCode(500);
    ctx.ViewLayout("layouts/error");
    return ctx.View("500", { Code: 500, Message: "Internal Server Error" });
  });
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("<title>Page</title><h1>Index</h1>");
  await test.GET("/500").Expect().Status(500).Body("<title>500</title><h1>Error</h1><p>Internal Server Error</p>");
});
