r"""What LaTeX is made of, as far as it takes to see what is open."""

import re

_DELIMITER = (
    r"[][()|/.<>‖⟨⟩⌈⌉⌊⌋]|\\[{}|]|\\(?:[lr](?:angle|floor|ceil|vert|Vert|brace|brack|group|moustache)"
    r"|[Uu]p(?:down)?arrow|[Dd]ownarrow|[Vv]ert|backslash)(?![A-Za-z])"
)
TOKEN = re.compile(
    rf"""(?P<blank>(?:\\_|_){{2,}})
      | \\begin\s*\{{(?P<begin>[A-Za-z]+\*?)\}}
      | \\end\s*\{{(?P<end>[A-Za-z]+\*?)\}}
      | \\left(?![A-Za-z])\s*(?P<left>{_DELIMITER})
      | \\right(?![A-Za-z])\s*(?P<right>{_DELIMITER})?
      | \\(?P<command>[A-Za-z]+)
      | (?P<space>\\?\s+) | (?P<pair>\\.)
      | (?P<open>\{{) | (?P<close>\}}) | (?P<script>[\^_])
      | (?P<text>[^\\{{}}\s^_])""",
    re.VERBOSE | re.DOTALL,
)
GLUED = re.compile(
    r"(in|ni|notin|subset|subseteq|supset|cup|cap|times|cdot|div|pm|mp|leq|geq|neq|approx|equiv|sim|perp|parallel"
    r"|angle|triangle|forall|exists|to|mid)([A-Z]{1,3})"
)
"""Commands run together with what follows them (`\\inZ`): no LaTeX command is spelt so."""

_TWO_ARGUMENTS = "frac|dfrac|tfrac|cfrac|binom|dbinom|tbinom|overset|underset|stackrel"
_ONE_ARGUMENT = (
    "sqrt|hat|bar|vec|dot|ddot|tilde|check|widehat|widetilde|boxed|tag|operatorname|xrightarrow|xleftarrow"
    "|overline|underline|overbrace|underbrace|overrightarrow|text|textbf|textit|textrm|mathrm|mathbf|mathit"
    "|mathcal|mathbb|mathsf|mathfrak|boldsymbol|pmb|bm"
)
ARGUMENTS = dict.fromkeys(_TWO_ARGUMENTS.split("|"), 2) | dict.fromkeys(_ONE_ARGUMENT.split("|"), 1)
"""How many arguments in braces a command waits for; others are taken to wait for none."""

ENVIRONMENT_ARGUMENTS = dict.fromkeys(("array", "tabular", "subarray", "alignedat"), 1)
