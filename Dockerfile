# Another base with Python 3.11 or newer and its venv module works as well: --build-arg BASE=...
ARG BASE=python:3.13-slim

# The base is what the argument says; there is no tag to write here.
# hadolint ignore=DL3006
FROM ${BASE} AS build
RUN python3 -m venv /opt/agentlab
WORKDIR /src
# Dependencies first: they change seldom, so their layer is kept while the code changes.
COPY pyproject.toml ./
RUN python3 -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' > dependencies.txt \
 && /opt/agentlab/bin/pip install --no-cache-dir --requirement dependencies.txt
COPY README.md LICENSE ./
COPY templates templates
COPY src src
# pip builds a wheel and installs that; it is not needed afterwards.
RUN /opt/agentlab/bin/pip install --no-cache-dir --no-deps . \
 && /opt/agentlab/bin/pip uninstall --yes pip

# hadolint ignore=DL3006
FROM ${BASE}
# The checkout belongs to the runner's user and this is root: git in an image built on this one would refuse it.
RUN printf '[safe]\n\tdirectory = *\n' > /etc/gitconfig
COPY --from=build /opt/agentlab /opt/agentlab
ENV PATH=/opt/agentlab/bin:$PATH AGENTLAB_CONTAINER=1
# Root, because the runner's command files belong to somebody else. The runner replaces HOME and the working
# directory, and may replace PATH.
ENTRYPOINT ["/opt/agentlab/bin/agentlab", "action"]
