"""Which code a result depends on: all that its experiment reaches, and a version of that.

From an experiment's ``parts`` every definition of evenmatch and evenmatch_lab is found that it
names, directly or by way of others. So a page that is reworded changes no version, nor do
docstrings, comments, annotations and modules that move. What a program finds only as it runs is
followed where the code says so: modules named in strings, if ``import_module`` is reached, and
players that are plugged in, if ``entry_points`` is.
"""

import ast
import hashlib
import symtable
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("evenmatch", "evenmatch_lab")
#: Modules that keep results and show them: what a result is does not depend on them.
NO_PART = {"evenmatch_lab", "evenmatch_lab.experiment", "evenmatch_lab.runner"}
#: Modules behind the entry points in lab/pyproject.toml.
PLUGGED_IN = ("evenmatch_lab.baselines.players",)
DIGITS = 8  #: of a hash
DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Modules = dict[str, str]  #: module -> hash of what is reached of it


class Name(NamedTuple):
    """What a name in a module stands for; with an empty name, the module."""

    module: str
    name: str = ""


class Use(NamedTuple):
    """What a statement names: ``start`` and its attributes, as ``start.search.Plan``."""

    start: Name
    attributes: tuple[str, ...] = ()


def version_of(modules: Modules) -> str:
    """Return a short hash of the code that was reached."""
    return _hash(sorted(modules.items()))


def changed_modules(then: Modules, now: Modules) -> list[str]:
    """Return the modules that are not as they were, or else that are gone; [] if none.

    A module that has another name but the same definitions has not changed.
    """
    changed = [module for module, seen in now.items() if seen not in then.values()]
    gone = [module for module, seen in then.items() if seen not in now.values()]
    return sorted(changed or gone)


@cache
def installed_code() -> "Code":
    """Return the code of both packages as it is installed."""
    specs = {package: find_spec(package) for package in PACKAGES}
    return Code({p: Path(s.origin).parent for p, s in specs.items() if s and s.origin})


def code_of_script(file: str, name: str) -> Modules:
    """Return what a function of a script depends on, which is in no package but imports them.

    It may import the scripts beside it too.
    """
    path = Path(file)
    beside = {script.stem: script.with_suffix("") for script in path.parent.glob("*.py")}
    folders = installed_code().folders | beside | {"scripts": path.parent}
    return Code(folders).reached_from(f"scripts.{path.stem}", name)


class Code:
    """The source of some packages."""

    def __init__(self, folders: Mapping[str, Path]):
        """Take the folder of each package."""
        self.folders = dict(folders)
        self._sources: dict[str, Source | None] = {}

    def reached_from(
        self, module: str, name: str = "parts", programs: Sequence[str] = ()
    ) -> Modules:
        """Return the modules that a definition depends on, with hashes of what it reaches there.

        ``programs`` are modules of programs that it starts. Empty for a module that is in none of
        the packages.
        """
        reached: dict[str, set[int]] = {}
        named: set[str] = set()  # modules in strings, which count once something imports by string
        imports = False
        todo = [Name(module, name), *map(Name, programs)]
        while todo or (imports and named):
            if not todo:
                todo, named = [Name(text) for text in named], set()
            home = self._home(todo.pop())
            source = self._source(home.module) if home and home.module not in NO_PART else None
            if home is None or source is None:
                continue
            seen = reached.setdefault(home.module, set())
            new = source.places(home.name) - seen
            seen |= new
            for statement in (source.statements[place] for place in new):
                todo += filter(None, map(self._end, statement.uses))
                named.update(filter(self._source, statement.texts))
                asked = {use.start.name for use in statement.uses}
                imports |= "import_module" in asked
                if "entry_points" in asked:
                    todo += map(Name, PLUGGED_IN)
        return {
            module: _hash([source.statements[place].digest for place in sorted(places)])
            for module, places in sorted(reached.items())
            if (source := self._source(module)) and places
        }

    def _end(self, use: Use) -> Name | None:
        """Return the definition, or the module, at the end of a chain of attributes."""
        home = self._home(use.start)
        for attribute in use.attributes:
            if home is None or home.name:
                break  # an attribute of an object: all of its class is reached
            home = self._home(Name(home.module, attribute))
        return home

    def _home(self, wanted: Name) -> Name | None:
        """Return where something is defined, if here; modules may pass on what others define."""
        source = self._source(wanted.module)
        if source and (not wanted.name or wanted.name in source.bound):
            return wanted
        passed_on = source.imports.get(wanted.name, wanted) if source else wanted
        if passed_on != wanted:
            return self._home(passed_on)
        inner = f"{wanted.module}.{wanted.name}"
        if self._source(inner):
            return Name(inner)
        found_late = source is not None and "__getattr__" in source.bound
        return Name(wanted.module, "__getattr__") if found_late else None

    def _source(self, module: str) -> "Source | None":
        """Return the source of a module; None if the packages have none of that name."""
        if module not in self._sources:
            path = self._path(module)
            self._sources[module] = (
                Source(module, path.read_text(encoding="utf-8")) if path else None
            )
        return self._sources[module]

    def _path(self, module: str) -> Path | None:
        package, *inner = module.split(".")
        if package not in self.folders or not all(map(str.isidentifier, inner)):
            return None
        path = self.folders[package].joinpath(*inner)
        found = (path / "__init__.py", path.with_suffix(".py"))
        return next((file for file in found if file.is_file()), None)


class Source:
    """A module as its statements, those inside no other; each has a place, its number."""

    def __init__(self, module: str, text: str):
        self.statements: list[Statement] = []
        self.imports: dict[str, Name] = {}  #: name -> what it stands for elsewhere
        self.bound: dict[str, set[int]] = {}  #: name -> places that define or change it
        self._effects: set[int] = set()  # places that define nothing, such as calls
        for node in _running(ast.parse(text).body):
            if not isinstance(node, DEFINITION):
                self.imports |= _imports_in(node)
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            bare = _Bare().visit(node)
            if bare is None:
                continue
            names, place = set(_bound_in(bare)), len(self.statements)
            for name in names:
                self.bound.setdefault(name, set()).add(place)
            if not names:
                self._effects.add(place)
            self.statements.append(Statement(bare, module, self.imports))

    def places(self, name: str) -> set[int]:
        """Return the places of what defines a name, all if it is empty, and of what runs anyway."""
        defining = self.bound[name] if name else set(range(len(self.statements)))
        return defining | self._effects


class Statement:
    """A statement of a module, bare of what decides nothing."""

    def __init__(self, node: ast.stmt, module: str, imports: Mapping[str, Name]):
        self._node, self._module, self._imports = node, module, imports

    @cached_property
    def uses(self) -> list[Use]:
        """What it names of its module, or of others by imports."""
        text = ast.unparse(self._node)
        names = _global_names(symtable.symtable(text, self._module, "exec"))
        known = {name: self._imports.get(name, Name(self._module, name)) for name in names}
        known |= _imports_in(self._node)
        chains = _Chains().of(self._node)
        return [Use(known[first], tuple(rest)) for first, *rest in chains if first in known]

    @cached_property
    def texts(self) -> list[str]:
        """Its strings, each up to the first colon, as entry points have them."""
        nodes = (x.value for x in ast.walk(self._node) if isinstance(x, ast.Constant))
        return [value.partition(":")[0] for value in nodes if isinstance(value, str)]

    @cached_property
    def digest(self) -> str:
        """A hash of what it does."""
        return _hash(_plain(self._node))


class _Bare(ast.NodeTransformer):
    """Takes away what decides nothing: docstrings, and annotations of functions and variables."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.visit_ClassDef(node)

    def visit_ClassDef(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


class _Chains(ast.NodeVisitor):
    """Finds names with the attributes that follow them."""

    def of(self, statement: ast.stmt) -> set[tuple[str, ...]]:
        """Return the chains of a statement."""
        self.found: set[tuple[str, ...]] = set()
        self.visit(statement)
        return self.found

    def visit_Name(self, node: ast.Name) -> None:
        self.found.add((node.id,))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        attributes, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            attributes.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            self.found.add((inner.id, *attributes))
        else:
            self.visit(inner)


def _running(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that run when it is imported, but what is only for tools."""
    for statement in body:
        if isinstance(statement, ast.If):
            asked = ast.unparse(statement.test)
            if "TYPE_CHECKING" in asked or "__name__" in asked:
                yield from _running(statement.orelse)
                continue
        if "__all__" not in set(_bound_in(statement)):
            yield statement


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module defines, or whose items it changes."""
    if isinstance(statement, DEFINITION):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, DEFINITION):
            yield node.name
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from (x.id for x in ast.walk(node.value) if isinstance(x, ast.Name))


def _imports_in(statement: ast.stmt) -> dict[str, Name]:
    """Return the names that imports in a statement bind, and what they stand for."""
    names: dict[str, Name] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = Name(node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package = alias.name.partition(".")[0]
                names[alias.asname or package] = Name(alias.name if alias.asname else package)
    return names


def _global_names(table: symtable.SymbolTable) -> set[str]:
    """Return the names that are not a function's own, of a scope and all inside it."""
    outermost = table.get_type() == "module"
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if (symbol.is_referenced() if outermost else symbol.is_global())
    }
    return names.union(*map(_global_names, table.get_children()))


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:DIGITS]


def _plain(node: object) -> object:
    """Return a piece of syntax as tuples, alike for all versions of Python."""
    if isinstance(node, ast.AST):
        fields = ((name, _plain(value)) for name, value in ast.iter_fields(node))
        kept = tuple(field for field in fields if field[1] not in (None, ()))
        return (type(node).__name__, *kept)
    if isinstance(node, list | tuple):
        return tuple(map(_plain, node))
    return node
