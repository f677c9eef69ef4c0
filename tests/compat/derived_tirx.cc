// SPDX-License-Identifier: Apache-2.0
// A program that links the compiler library of the package apache-tvm-tirx, which was built with
// the reference's headers, and derives from a mutator that it exports. The inline code of that
// class is here, other members are in the library; both read and write its records.
#include "names.h"

#include <tvm/ir/prim/expr.h>
#include <tvm/ir/prim/op.h>
#include <tvm/ir/stmt.h>
#include <tvm/tirx/stmt_functor.h>

namespace {

using tvm::Bind;
using tvm::Evaluate;
using tvm::Expr;
using tvm::PrimExpr;
using tvm::PrimVar;
using tvm::SeqStmt;
using tvm::Stmt;
using tvm::ffi::InplaceMode;
using tvm::ffi::UnchangedOr;

/* Replaces variables by what is recorded for them, and adds one to integers. */
class Rewriter : public tvm::tirx::StmtExprMutator {
 public:
  using StmtExprMutator::Mutate_;

  UnchangedOr<Expr> Mutate_(const tvm::VarObj *var, InplaceMode mode) override {
    ++num_vars;
    const Any recorded = VarRemapGet(AnyView(var));
    if (recorded != nullptr) return recorded.cast<Expr>();
    return StmtExprMutator::Mutate_(var, mode);
  }
  UnchangedOr<PrimExpr> Mutate_(const tvm::IntImmObj *number, InplaceMode) override {
    ++num_numbers;
    return GetRef<PrimExpr>(number) + 1;
  }

  int64_t num_vars = 0, num_numbers = 0;
};

/* Overrides nothing: the library replaces what is recorded. */
class Plain : public tvm::tirx::StmtExprMutator {
 public:
  int64_t own = 5;
};

String Repr(const Any &value) {
  return Function::GetGlobalRequired("ffi.ReprPrint")(value).cast<String>();
}
template <typename Mutator>
Stmt Mutated(const ObjectPtr<Mutator> &mutator, const Stmt &stmt) {
  return mutator->Mutate(stmt).ValueOrUnchanged(stmt);
}

}  // namespace

int main() {
  const PrimVar x("x"), y("y"), z("z");
  const SeqStmt body{Bind(z, x + 3), Evaluate(x * z), Evaluate(y - x)};
  Line("sizes", [] {
    Show(sizeof(tvm::ObjectMutator), sizeof(tvm::tirx::StmtExprMutator), sizeof(Rewriter));
  });
  Line("nothing recorded", [&] {
    const auto plain = make_object<Plain>();
    Show(Mutated(plain, body).same_as(body), plain->own);
  });
  Line("recorded", [&] {
    const auto plain = make_object<Plain>();
    plain->VarRemapSet(x, y + 1);
    plain->VarRemapSet(y, PrimExpr(7));
    Show(Repr(Mutated(plain, body)), plain->own, plain->VarRemapGet(z).type_index());
  });
  Line("overridden", [&] {
    const auto rewriter = make_object<Rewriter>();
    Show(Repr(Mutated(rewriter, body)), rewriter->num_vars, rewriter->num_numbers);
    rewriter->VarRemapSet(x, z);
    Show(Repr(Mutated(rewriter, body)), rewriter->num_vars, rewriter->num_numbers);
  });
  Line("defined by the library", [&] {
    // A mutator that replaces a variable where it is bound records that for its uses.
    struct Renamer : tvm::tirx::StmtExprMutator {
      using StmtExprMutator::Mutate_;
      UnchangedOr<Stmt> Mutate_(const tvm::BindObj *bind, InplaceMode mode) override {
        VarRemapSet(bind->var, bind->var.CopyWithSuffix("_new"));
        return StmtExprMutator::Mutate_(bind, mode);
      }
    };
    Show(Repr(Mutated(make_object<Renamer>(), body)));
  });
  Line("not an object", [] { make_object<Plain>()->VarRemapSet(1, 2); });
  Line("counts", [&] { Show(x.use_count(), y.use_count(), z.use_count(), body.use_count()); });
  return 0;
}
