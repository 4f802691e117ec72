"""Every statement but the import is a mistake that an editor should mark."""

import tacit

print(tacit.AutoClasifier)
tacit.Numeric("age", 0, 90, privat=False)
print(tacit.Schema([], label=tacit.Label("ill", ["no", "yes"])).nmaes)
tacit.AutoClassifier(epsilon="1")
tacit.load_model(3)
tacit.AutoClassifier().fit([[1]], [0], storrage="disk")
tacit.AutoClassifier().model_.explian()
