/** Dockerfiles as the generators and the guides of frameworks have them, in our words. */
export const railsDockerfile = `# syntax=docker/dockerfile:1
# check=error=true

# For production. For development, use the dev container.
ARG RUBY_VERSION=3.4.7
FROM docker.io/library/ruby:$RUBY_VERSION-slim AS base

WORKDIR /rails

RUN apt-get update -qq && \\
    apt-get install --no-install-recommends -y curl libjemalloc2 libvips sqlite3 && \\
    # smaller layers
    rm -rf /var/lib/apt/lists /var/cache/apt/archives

ENV RAILS_ENV="production" \\
    BUNDLE_DEPLOYMENT="1" \\
    BUNDLE_PATH="/usr/local/bundle"

# Thrown away, so that the image has no compilers.
FROM base AS build

RUN apt-get update -qq && \\
    apt-get install --no-install-recommends -y build-essential git pkg-config

COPY Gemfile Gemfile.lock ./
RUN bundle install && \\
    bundle exec bootsnap precompile --gemfile

COPY . .
RUN SECRET_KEY_BASE_DUMMY=1 ./bin/rails assets:precompile

FROM base

COPY --from=build "\${BUNDLE_PATH}" "\${BUNDLE_PATH}"
COPY --from=build /rails /rails

RUN groupadd --system --gid 1000 rails && \\
    useradd rails --uid 1000 --gid 1000 --create-home --shell /bin/bash && \\
    chown -R rails:rails db log storage tmp
USER 1000:1000

ENTRYPOINT ["/rails/bin/docker-entrypoint"]

EXPOSE 80
CMD ["./bin/thrust", "./bin/rails", "server"]
`;

export const nextDockerfile = `# syntax=docker.io/docker/dockerfile:1

FROM node:24-alpine AS base

FROM base AS deps
RUN apk add --no-cache libc6-compat
WORKDIR /app
COPY package.json yarn.lock* package-lock.json* pnpm-lock.yaml* .npmrc* ./
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=NPM_TOKEN,env=NPM_TOKEN \\
  if [ -f yarn.lock ]; then yarn --frozen-lockfile; \\
  elif [ -f package-lock.json ]; then npm ci; \\
  elif [ -f pnpm-lock.yaml ]; then corepack enable pnpm && pnpm i --frozen-lockfile; \\
  else echo "No lock file." && exit 1; \\
  fi

FROM base AS builder
WORKDIR /app
ARG NEXT_PUBLIC_API
ENV NEXT_PUBLIC_API=$NEXT_PUBLIC_API
COPY --from=deps /app/node_modules ./node_modules
COPY . .
RUN npm run build

FROM base AS runner
WORKDIR /app
ENV NODE_ENV=production
COPY --from=builder /app/public ./public
COPY --from=builder --chown=nextjs:nodejs /app/.next/standalone ./
USER nextjs
EXPOSE 3000
ENV PORT=3000
ENV HOSTNAME="0.0.0.0"
CMD ["node", "server.js"]
`;

export const djangoDockerfile = `FROM python:3.13-slim
ENV PYTHONUNBUFFERED 1
ENV PORT 8000
WORKDIR /code
RUN --mount=type=bind,source=requirements.txt,target=requirements.txt \\
    pip install --no-cache-dir -r requirements.txt
COPY . .
RUN <<-SETUP
	python manage.py collectstatic --noinput
	EXPOSE 1
	SETUP
EXPOSE \${PORT}
CMD gunicorn --bind 0.0.0.0:$PORT shop.wsgi
`;

export const goDockerfile = `ARG GO_VERSION=1.26
FROM --platform=$BUILDPLATFORM golang:\${GO_VERSION} AS build
ARG TARGETOS TARGETARCH
WORKDIR /src
RUN --mount=type=bind,source=go.mod,target=go.mod --mount=type=cache,target=/go/pkg/mod \\
    --mount=type=secret,id=netrc,target=/root/.netrc go mod download -x
COPY . .
RUN CGO_ENABLED=0 go build -o /out/server ./cmd/server

FROM build AS test
RUN --mount=type=secret,id=TEST_TOKEN go test ./...

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/server /server
COPY --from=alpine:3.23 /etc/mime.types /etc/mime.types
EXPOSE 8080/tcp 9090/udp
USER nonroot
ENTRYPOINT ["/server"]
`;
