import type { App } from "./app.ts";

/** The files that Django's own startproject makes, and where to collect static files. */
export const django: App = {
  framework: "django",
  files: {
    "requirements.txt": "Django>=3.2\n",
    "manage.py": `#!/usr/bin/env python
import os
import sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
from django.core.management import execute_from_command_line
execute_from_command_line(sys.argv)
`,
    "shop/__init__.py": "",
    "shop/settings.py": `from pathlib import Path
BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "test"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["django.contrib.staticfiles"]
ROOT_URLCONF = "shop.urls"
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "collected"
STATICFILES_DIRS = [BASE_DIR / "assets"]
WSGI_APPLICATION = "shop.wsgi.application"
`,
    "shop/urls.py": `import django
from django.http import HttpResponse
from django.urls import path
from django.views.static import serve
from shop.settings import STATIC_ROOT
urlpatterns = [
    path("", lambda request: HttpResponse("Django " + django.__version__)),
    path("static/<path:path>", serve, {"document_root": STATIC_ROOT}),
]
`,
    "shop/wsgi.py": `import os
from django.core.wsgi import get_wsgi_application
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
application = get_wsgi_application()
`,
    "assets/shop.css": "body { color: black }\n",
  },
  serve:
    ".venv/bin/python manage.py check && exec .venv/bin/python manage.py runserver --noreload --nostatic 127.0.0.1:$PORT",
  pages: { "/": "Django 3.2", "/static/shop.css": "body { color: black }" },
};

export const flask: App = {
  framework: "flask",
  files: {
    "requirements.txt": "Flask\n",
    "app.py":
      'from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/")\ndef home():\n    return "Flask"\n',
  },
  serve: "exec .venv/bin/flask run --port $PORT",
  pages: { "/": "Flask" },
};

export const python: App = {
  framework: "python",
  files: {
    "pyproject.toml": `[project]
name = "shop"
version = "1.0"
dependencies = ["itsdangerous"]
scripts = { shop = "shop:main" }

[tool.setuptools]
py-modules = ["shop"]
`,
    "shop.py": `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
import itsdangerous

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Python with " + itsdangerous.__name__.encode())

def main():
    HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Page).serve_forever()
`,
  },
  serve: "exec .venv/bin/shop",
  pages: { "/": "Python with itsdangerous" },
};
