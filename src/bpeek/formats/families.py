"""Published files by their SHA-256: which models a vocabulary belongs to."""

from __future__ import annotations

_FAMILIES = {
    "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783": "GPT-2",
    "43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e": "GPT-4o",
    "0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3": "gpt-oss",
    "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78": "Llama 3",
    "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4": "Qwen 3",
    "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41": "DeepSeek V3",
    "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795": "Gemma 3",
    "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767": "Claude (2023)",
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": "Voyage 3",
    # Sold as Llama 2's, but its pieces are those of Mistral v1.
    "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc": "Mistral v1",
    "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055": "Mistral v1",
    "37f00374dea48658ee8f5d0f21895b9bc55cb0103939607c8185bfd1c6ca1f89": "Mistral v2",
    "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33": "Mistral v3",
    "1b968b8dc352f42192367337c78ccc61e1eaddc6d641a579372d4f20694beb7a": "Mistral v7",
    "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516": "Mistral tekken (July 2024)",
    "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316": "Mistral tekken (September 2024)",
}


def family(sha256: str) -> str | None:
    """The models that a file is published for, if these are its bytes."""
    return _FAMILIES.get(sha256)
