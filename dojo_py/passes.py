"""How numba compiles kernels: they are optimised once, together with the entry that Python calls.

By itself numba links every function with all that it calls, optimises the whole, and makes machine code of it, before the caller
does the same again: code that lies ten levels deep is compiled ten times over. Here a kernel stays what the front end made of it;
the entry collects its kernels and those they call, and is optimised as one module.

This reaches into numba, and is used with versions of it that CI tries (compiler.py).
"""

from collections.abc import Iterable
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

from dojo_py import indices, quick_typing

NEW_PASSES = not numba.__version__.startswith("0.60")
"""Whether LLVM's passes are prepared apart from the module they run on."""


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of one kernel, and the names of what it calls: not linked, and optimised only by itself."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """numba's passes over functions, prepared once and run over those that have a body."""
        if not NEW_PASSES:
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def add_llvm_module(self, ll_module: Any) -> None:
        """Keep the code of the kernel as it is: there is nothing to link it with yet."""
        self._optimize_functions(ll_module)
        self._final_module = ll_module

    def _get_module_for_linking(self) -> Any:
        """The code itself, since nobody runs it: no copy, marked so that unused kernels go."""
        self._ensure_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        return self._final_module

    def finalize(self) -> None:
        """Nothing more is added."""
        self._raise_if_finalized()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code of an entry with all kernels below it."""

    def _optimize_final_module(self) -> None:
        """Nobody else calls the kernels: LLVM may drop arguments that they do not use, and inline what is called once."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()

    def finalize(self) -> None:
        """Link all, optimise, make machine code."""
        self._linking_libraries: list[Any] = _all_below(self._linking_libraries)
        super().finalize()
        missing = [f.name for f in self._final_module.functions if f.is_declaration and "dojo_py" in f.name]
        if missing:
            raise RuntimeError(f"entry {self.name}: kernels that were not linked: {missing}")


def _all_below(libraries: Iterable[Any]) -> list[Any]:
    """These libraries and those that kernels among them call, callers first: what nobody calls yet would not be linked."""
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in found:
            if isinstance(library, KernelLibrary):
                for below in library._linking_libraries:
                    visit(below)
            found[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(found))


class Lowering(NativeLowering):  # type: ignore[misc]
    """numba's pass from typed code to LLVM, into a library of ours."""

    library: type

    def run_pass(self, state: Any) -> bool:
        """Lower."""
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerKernel(Lowering):
    """To LLVM code, without machine code."""

    _name = "lower_kernel"
    library = KernelLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower, and stand in for the function that numba would make callable from Python."""
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        name = lowered.fndesc.qualname.split(".")[-1]
        token = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "a kernel", 0, lowered.env, (state.library,))
        state.targetctx.insert_user_function(token, lowered.fndesc, [state.library])
        state["cr"] = _LowerResult(lowered.fndesc, lowered.call_helper, cfunc=token, env=lowered.env)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerEntry(Lowering):
    """To machine code, with all kernels below."""

    _name = "lower_entry"
    library = EntryLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower, and give kernels that call Python their environments, as numba does where it loads an entry from a cache."""
        done = super().run_pass(state)
        for variable in state.library._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                state.library.codegen.set_env(variable.name, environment)
        return done


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """For functions that kernels and entries call."""

    lowering: type = LowerKernel

    def define_pipelines(self) -> list[Any]:
        """numba's passes, lowering replaced."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(self.lowering, text) if step is NativeLowering else (step, text) for step, text in manager.passes]
        manager._finalized = False
        manager.finalize()
        return [manager]


class EntryCompiler(KernelCompiler):
    """For functions that Python calls."""

    lowering = LowerEntry


quick_typing.switch_on()
indices.switch_on()
